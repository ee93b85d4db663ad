// The bundle of a talk with pictures of views in it: the viewer's, and every component that such a picture may have.
import { start } from "../viewer/page.js";
import * as mounts from "./components.js";

start(/** @type {Record<string, import("../talk/still.js").Mount>} */ (mounts));
