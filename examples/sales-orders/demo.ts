import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  fail,
  InvalidParams,
  type MiddlewareCall,
  messages,
  type Server,
  user,
} from "proffer";
import { DEMO_CLASS, sizeOf } from "./documents.ts";
import { withNotFound } from "./not-found.ts";

const CARRIERS = ["AA", "AB", "AC"] as const;
const FLIGHTS = new Map([
  ["AA 17", { from: "New York", to: "San Francisco", minutes: 361 }],
  ["AB 100", { from: "Berlin", to: "Lisbon", minutes: 225 }],
  ["AC 820", { from: "Toronto", to: "Frankfurt", minutes: 445 }],
]);

/** The stateless demo of the ABAP server SDK, with tools, prompts and resources. */
export function defineDemo(): Server {
  const server: Server = defineServer({
    name: "Demo MCP Server",
    version: "1.0.0",
    instructions: "A demo with two prompts, two resources and two tools. Nothing is kept between requests.",
    middleware: (call, next) => {
      checkNames(server, call);
      return next();
    },
    prompts: [
      prompt("greet", "name", (name) => `Happily greet ${name} and wish them a great day`),
      prompt("joke", "topic", (topic) => `Tell a joke about ${topic}`),
    ],
    resources: [withNotFound([demoClass, salesReceipt], (uri) => `Resource ${uri} not found.`)],
    tools: [serverTime, flightDetails],
  });
  return server;
}

/** Rejects unknown names with the messages of the demo, before Proffer rejects them with its own. */
function checkNames(server: Server, { method, name = "", params }: MiddlewareCall): void {
  if (method === "tools/call" && server.tools.get(name) === undefined) {
    throw new InvalidParams(`Tool ${name} not found.`);
  }
  if (method !== "prompts/get") return;
  const prompt = server.prompts.get(name);
  if (prompt === undefined) throw new InvalidParams(`Prompt ${name} unknown.`);
  const given = new Map(Object.entries(params.arguments ?? {}));
  for (const [argument, { required }] of prompt.arguments) {
    if (required && !given.get(argument)) {
      throw new InvalidParams(`Prompt ${name} requires parameter '${argument}'`);
    }
  }
}

function prompt(name: "greet" | "joke", argument: string, write: (value: string) => string) {
  const description = name === "greet" ? "Greet prompt" : "Joke prompt";
  return definePrompt({
    name,
    description,
    arguments: { [argument]: { description: `The ${argument}`, required: true } },
    get: (values) => messages([user(write(String(values[argument])))], { description }),
  });
}

const demoClass = defineResource({
  uri: "abap://classes/zcl_demo",
  name: "Demo Class",
  description: "Example ABAP class",
  mimeType: "text/x-abap",
  size: sizeOf(DEMO_CLASS),
  content: DEMO_CLASS,
});

const salesReceipt = defineResource({
  uri: "file://sales_receipt/{sales_order}",
  name: "Sales Receipt",
  description: "Receipt of a sales order",
  mimeType: "text/plain",
  params: { sales_order: /\d{1,10}/ },
  read: ({ sales_order }) => `Receipt of sales order ${sales_order}\nPaid with thanks.\n`,
});

const serverTime = defineTool({
  name: "get_server_time",
  description: "Tells the date and time of the server.",
  annotations: { readOnlyHint: true, openWorldHint: false },
  output: {
    type: "object",
    properties: {
      server_date: { type: "string", format: "date" },
      server_time: { type: "string", pattern: "^\\d{2}:\\d{2}:\\d{2}$" },
    },
    required: ["server_date", "server_time"],
  },
  handle: () => {
    const now = new Date().toISOString();
    return { server_date: now.slice(0, 10), server_time: now.slice(11, 19) };
  },
});

const flightDetails = defineTool({
  name: "get_flight_conn_details",
  description: "Tells from where to where a flight connection goes.",
  annotations: { readOnlyHint: true },
  input: {
    type: "object",
    properties: {
      airline_code: { type: "string", enum: CARRIERS, description: "The code of the airline" },
      connection_number: { type: "integer", minimum: 0, maximum: 9999, description: "The number of the connection" },
    },
    required: ["airline_code", "connection_number"],
  },
  handle: ({ airline_code, connection_number }) => {
    const flight = FLIGHTS.get(`${airline_code} ${connection_number}`);
    return flight ?? fail(`There is no connection ${airline_code} ${connection_number}.`);
  },
});

export default defineDemo();
