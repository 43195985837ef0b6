import type { ApiError } from "../protocol/api.ts";
import { defined } from "./values.ts";

/** A request of the page that is refused or has failed, with its HTTP status. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  readonly code: string;
  readonly remedy: string | undefined;

  constructor(status: number, code: string, message: string, remedy?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.remedy = remedy;
  }

  get body(): ApiError {
    const { code, message, remedy } = this;
    return { error: { code, message, ...defined({ remedy }) } };
  }
}
