import * as z from "./external.js";

export { z };
