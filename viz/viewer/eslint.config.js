import js from "@eslint/js";

// Which names a browser knows, tsc sees.
export default [js.configs.recommended, { rules: { "no-undef": "off", eqeqeq: "error", "no-var": "error", "prefer-const": "error" } }];
