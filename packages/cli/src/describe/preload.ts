/** Node loads this file before a server that a command starts only to read its lists. */
import { describeFromNowOn } from "./describing.ts";

describeFromNowOn(process.env);
