// The bundle: a saved page starts by itself, the app calls what it exports whenever it has something to show.
import { mount } from "./app.js";
import { start } from "./page.js";

start();
export default mount;
