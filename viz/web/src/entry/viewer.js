// The bundle of the viewer: a saved page starts by itself, the app mounts it as it mounts its other components.
import { start } from "../viewer/page.js";

start();
export { default as workbench } from "../components/workbench/workbench.js";
