// One server of Proffer at several paths, each with another protection. JWKS and ISSUER come from the environment.
import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { oauth } from "proffer/oauth";

const number = { type: "number" };
const add = defineTool({
  name: "add",
  input: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
  handle: ({ a, b }) => a + b,
});
const server = defineServer({ name: "protected", version: "1.0.0", tools: [add] });
const issuer = [{ issuer: process.env.ISSUER, jwks: JSON.parse(process.env.JWKS), audience: "bench" }];
const protect = (path, options) => oauth({ issuer, resource: `http://127.0.0.1${path}`, ...options });

await serveHttp(
  {
    "/none": server,
    "/hook": { server, authenticate: () => ({ id: "ada" }) },
    "/cached": { server, authenticate: protect("/cached") },
    "/verified": { server, authenticate: protect("/verified", { cache: false }) },
  },
  { port: Number(process.env.PORT), host: "127.0.0.1", sessions: false },
);
