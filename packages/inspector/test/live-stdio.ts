import { serveStdio } from "proffer/stdio";
import { createShop } from "./asking-shop.ts";

/** A server over stdio whose resource changes again and again. */
const { server, notify } = createShop();
setInterval(notify, 50).unref();
await serveStdio(server);
