// The limits. A server that only parses, dispatches and serialises, as plainly as node can.
// Modes: plain
//        cached   lists and fixed resources are serialised once
//        checked  plain, and what no careful server can leave out: headers, envelope, zod on the arguments
//        fetch    plain, behind the Request and Response of the web (@hono/node-server)
import { rawHttp } from "./raw-http.mjs";
import { createReply } from "./raw-reply.mjs";
import { rawStdio } from "./raw-stdio.mjs";

const [transport, mode, profile] = process.argv.slice(2);
const reply = await createReply(mode, profile);

if (transport === "stdio") rawStdio(reply);
else await rawHttp(reply, mode);
