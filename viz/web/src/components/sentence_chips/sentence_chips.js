import { Component, mounted } from "../../ui/component.js";
import { fill, make, makeButton, percent } from "../../ui/shared.js";
import "./sentence_chips.css";

class SentenceChips extends Component {
  update({ source, target, labels }) {
    this.part("src").setAttribute("aria-label", labels.source);
    this.part("tgt").setAttribute("aria-label", labels.target);
    this.part("src").replaceChildren(
      ...source.flatMap(({ text, before, special }) => [before, make("span", special ? "special" : "", text)]),
    );
    this.tokens = target.map((token, place) => this.token(token, place));
    this.part("tgt").replaceChildren(...target.flatMap(({ before }, place) => [before, this.tokens[place]]));
    this.choose(this.data.chosen);
  }

  // A written token is a button; one that was given is not.
  token({ text, reading, sure, special }, place) {
    if (sure === null) return make("span", "given", text);
    const button = makeButton(special ? "token special" : "token");
    button.append(reading ? spoken(text, reading) : text);
    button.style.setProperty("--sure", `${100 * sure}%`);
    button.addEventListener("click", () => this.pick(place));
    return button;
  }

  pick(place) {
    const place_ = place === this.data.chosen ? null : place;
    this.choose(place_);
    this.data.chosen = place_;
    this.setTriggerValue("token", place_ ?? -1);
  }

  choose(chosen) {
    const { labels, target } = this.data;
    this.tokens.forEach((each, place) => {
      const { text, sure } = target[place];
      if (sure === null) return void (each.title = fill(labels.given, { token: text }));
      each.setAttribute("aria-pressed", place === chosen);
      each.title = fill(place === chosen ? labels.chosen : labels.token, { token: text, percent: percent(sure) });
    });
    this.tokens[chosen]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function spoken(text, reading) {
  const ruby = make("ruby");
  ruby.append(text, make("rt", "", reading));
  return ruby;
}

export default mounted(SentenceChips);
