import js from "@eslint/js";

// Whatever outlives a component's element stands in its base, which ends it with the element.
const OUTLIVES = [
  "NewExpression[callee.name=/Observer$/]",
  "CallExpression[callee.object.name=/^(document|window|globalThis)$/][callee.property.name='addEventListener']",
  "CallExpression[callee.name=/^set(Timeout|Interval)$/]",
  "CallExpression[callee.property.name=/^set(Timeout|Interval)$/]",
];
const size = { skipBlankLines: false, skipComments: false };

export default [
  js.configs.recommended,
  {
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-undef": "off", // which names a browser knows, tsc sees
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "max-lines": ["error", { max: 400, ...size }],
      "max-lines-per-function": ["error", { max: 40, ...size }],
    },
  },
  {
    files: ["src/components/**", "src/chart/**", "src/viewer/viewer.js", "src/ui/preview.js"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...OUTLIVES.map((selector) => ({
          selector,
          message: "listen, wait and watch by way of Component, which ends it",
        })),
      ],
    },
  },
];
