import type { Api } from "./protocol/api.ts";
import { REQUEST_SHAPES } from "./request-shapes.ts";
import { ApiProblem } from "./support/api-problem.ts";

/** The functions behind the requests of the page, by name. */
export type Handlers = {
  readonly [Name in keyof Api]: (input: Api[Name]["in"]) => Api[Name]["out"] | Promise<Api[Name]["out"]>;
};

/** Answers a request of the page. @throws {ApiProblem} */
export type Respond = (name: string, input: unknown) => Promise<object>;

/**
 * Creates the table of requests. No handler starts a command or connects to an address that the page names: what may be
 * started or reached is what the command line said.
 */
export function createRoutes(handlers: Partial<Handlers>): Respond {
  return async (name, input) => {
    if (!isRoute(name)) throw new ApiProblem(404, "unknown_request", "The API has no request with this name.");
    const problem = REQUEST_SHAPES[name](input, "");
    if (problem !== undefined) throw new ApiProblem(400, "bad_request", `${name}: ${problem.trimStart()}.`);
    const handle = handlers[name] as ((input: unknown) => object | Promise<object>) | undefined;
    if (handle === undefined) {
      throw new ApiProblem(404, "unavailable", `"${name}" is not possible for this kind of target.`);
    }
    return handle(input);
  };
}

function isRoute(name: string): name is keyof Api {
  return Object.hasOwn(REQUEST_SHAPES, name);
}
