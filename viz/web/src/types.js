// What the scripts of the viewer hand to each other. The first part is the message that Python writes (message.py).

/**
 * @typedef {object} Tokens A sequence of tokens, an entry each; a special token's word is -1.
 * @property {string[]} texts
 * @property {number[]} words
 * @property {number[]} starts
 * @property {number[]} ends
 */

/** @typedef {"src" | "inputs" | "outputs"} Axis */

/**
 * @typedef {object} KindPart
 * @property {string} kind
 * @property {string} letter
 * @property {string} title
 * @property {number} layers
 * @property {number} heads
 * @property {Axis} rows
 * @property {Axis} columns
 * @property {Axis | null} writes
 * @property {boolean} shifts
 */

/**
 * @typedef {object} MapsPart
 * @property {number} offset
 * @property {number} layers
 * @property {number} heads
 * @property {number} high
 */

/**
 * @typedef {object} SortPart
 * @property {string} name
 * @property {string} title
 * @property {string} whose
 * @property {string} meaning
 * @property {boolean} signed
 * @property {boolean} averaged
 * @property {boolean} shares
 * @property {boolean} written
 * @property {boolean} token
 * @property {Record<string, MapsPart>} maps
 */

/**
 * @typedef {object} MorePart A sort whose maps have to be asked for.
 * @property {string} name
 * @property {string} title
 */

/** @typedef {[number, string][]} Stops */

/**
 * @typedef {object} Look
 * @property {string} background
 * @property {string} surface
 * @property {string} text
 * @property {string} muted
 * @property {string} grid
 * @property {string} accent
 * @property {Stops} scale
 * @property {Stops} diverging
 */

/**
 * @typedef {object} Header
 * @property {number} version
 * @property {string} language
 * @property {string} source
 * @property {string} translation
 * @property {number} given
 * @property {string} model
 * @property {Record<Axis, Tokens>} tokens
 * @property {KindPart[]} kinds
 * @property {SortPart[]} sorts
 * @property {MorePart[]} more
 * @property {Record<string, Look>} looks
 * @property {string} fonts
 * @property {string} start
 * @property {Record<string, string>} words
 */

/**
 * @typedef {object} Envelope What the app says before the message.
 * @property {string} id
 * @property {string} link
 * @property {number} serial
 * @property {boolean} dark
 * @property {number} below
 */

/**
 * @typedef {object} Trace A message as it was read.
 * @property {Header} header
 * @property {Uint8Array} bytes
 * @property {import("./core/supply.js").Supply} [supply] where whole maps come when they are asked for
 */

/**
 * @typedef {object} Head
 * @property {string} code
 * @property {KindPart} kind
 * @property {number} layer
 * @property {number} head
 */

/**
 * @typedef {object} State Everything that a visitor has chosen; all of it stands in the link.
 * @property {string[]} heads codes, the first is the one that arrows move
 * @property {"map" | "lines" | "all"} view
 * @property {string} method
 * @property {boolean} words
 * @property {boolean} hide_special special tokens are left out
 * @property {"written" | "read"} shift
 * @property {number} threshold part of the scale's end
 * @property {boolean} log
 * @property {"full" | "own" | "common"} scale
 * @property {"side" | "difference" | "mean" | "max"} together
 * @property {string[]} rows pinned, by key
 * @property {string[]} columns pinned, by key
 * @property {"" | "light" | "dark"} theme
 * @property {boolean} present nothing but the picture, large
 */

/**
 * @typedef {object} Label What stands at a row or column: a token, or the pieces of a word.
 * @property {string} text
 * @property {boolean} special
 * @property {number[]} places of its tokens along the axis
 * @property {string[]} keys of its tokens, the same wherever they stand
 * @property {string} beside what the row writes, or has read, besides
 */

/**
 * @typedef {object} Reading
 * @property {Label[]} rows
 * @property {Label[]} columns
 * @property {Float32Array} values row by row
 * @property {number} top the largest size of a value
 */

/**
 * @typedef {object} Panel One map to be drawn.
 * @property {string} title
 * @property {KindPart} kind
 * @property {Reading} reading
 * @property {boolean} signed
 * @property {number} high what the whole scale ends with
 * @property {number} unit half the step of the codes it came from, at most
 */

/**
 * @typedef {object} Scale How values become colours.
 * @property {number} top
 * @property {number} bottom of a logarithmic scale; 0 for a linear one
 * @property {number} hidden values smaller than this are blank
 * @property {boolean} signed
 */

/**
 * @typedef {object} Place Where a map stands on its canvas, in CSS pixels.
 * @property {number} cell its height
 * @property {number} wide its width
 * @property {number} left room of the rows' labels
 * @property {number} top room of the columns' labels
 * @property {number} width of what is seen of the map itself
 * @property {number} height
 * @property {number} x where the first column begins, at most 0
 * @property {number} y
 * @property {number} type size of the labels
 * @property {boolean} across columns' labels lie flat
 */

/** @typedef {{ row: number | null, column: number | null }} Spot */

export {};

/** @typedef {Look & { dark: boolean }} Theme */

/**
 * @template T
 * @typedef {T & { look: Theme, labels: Record<string, string> }} Dressed What a component gets with its look and words.
 */

/** @typedef {(name: string, value: unknown) => void} Send tells Python something */

/**
 * @template D
 * @typedef {object} Mounting What Streamlit hands over at every change.
 * @property {Element | ShadowRoot} parentElement
 * @property {D} data
 * @property {Send} setTriggerValue
 * @property {Send} setStateValue
 */

/**
 * @typedef {object} HeadPlace
 * @property {string} kind
 * @property {number} layer
 * @property {number} head
 */
