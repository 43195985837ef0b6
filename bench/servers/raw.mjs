// The baselines: a server that only parses, dispatches and serializes, with plain Node.
// Modes: plain
//        cached   lists and fixed resources are serialized once
//        checked  plain, with the checks that every careful server needs: headers, envelope, zod on the arguments
//        fetch    plain, behind Request and Response (@hono/node-server)
import { rawHttp } from "./raw-http.mjs";
import { createReply } from "./raw-reply.mjs";
import { rawStdio } from "./raw-stdio.mjs";

const [transport, mode, profile] = process.argv.slice(2);
const reply = await createReply(mode, profile);

if (transport === "stdio") rawStdio(reply);
else await rawHttp(reply, mode);
