// The bundle of the page that translates by itself.
import { startLive } from "../live/start.js";

startLive();
