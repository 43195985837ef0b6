/** A server over stdio that writes each observed message to the file in its arguments. */
import { appendFileSync } from "node:fs";
import { overrideOptions } from "proffer/derived";
import { serveStdio } from "proffer/stdio";
import { observeClients } from "../../cli/src/recordings/observe-clients.ts";
import { createShop } from "./shop.ts";

const [, , file = ""] = process.argv;
const write = (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`);
const watch = observeClients({ onClientMessage: write, onClientClosed: (closed) => write({ closed }) });
await serveStdio(overrideOptions(createShop(), { watch }));
