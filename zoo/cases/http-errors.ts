import { Boom, conflict, type Output, type Payload } from "@hapi/boom";
import createError, { type HttpError } from "http-errors";
import { gives } from "../expect.ts";

/** Explains a status. */
export function explain(status: number): HttpError {
  return createError(status, "no", { token: "SECRET", headers: { authorization: "SECRET" } });
}
gives(explain, [404], { name: "NotFoundError", message: "no" });

/** Explains a conflict. */
export function clash(id: string): {
  error: Boom<{ id: string; token: string }>;
  payload: Payload;
  code: Output["statusCode"];
} {
  const error = conflict("taken", { id, token: "SECRET" });
  return { error, payload: error.output.payload, code: error.output.statusCode };
}
gives(clash, ["a"], {
  error: { name: "Error", message: "taken" },
  payload: { statusCode: 409, error: "Conflict", message: "taken" },
  code: 409,
});

/** Tries. */
export async function attempt(ids: string[]): Promise<PromiseSettledResult<string>[]> {
  return Promise.allSettled(
    ids.map(async (id) => (id === "a" ? id : Promise.reject(new Boom(id, { data: { token: "SECRET" } })))),
  );
}
gives(
  attempt,
  [["a", "b"]],
  [
    { status: "fulfilled", value: "a" },
    { status: "rejected", reason: { name: "Error", message: "b" } },
  ],
);
