import type { Api, ApiError } from "../../protocol/api.ts";

/** Node refused a request of the page. */
export class ApiFailure extends Error {
  readonly code: string;
  readonly status: number;
  readonly remedy: string | undefined;

  constructor(status: number, { code, message, remedy }: ApiError["error"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.remedy = remedy;
  }
}

export interface ApiClient {
  post<Name extends keyof Api>(name: Name, body: Api[Name]["in"]): Promise<Api[Name]["out"]>;
  /** The response of `events`, whose body is endless. */
  stream(signal: AbortSignal): Promise<Response>;
}

export function createApiClient(secret: string): ApiClient {
  async function send(name: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      ...(signal ? { signal } : {}),
    });
    if (response.ok) return response;
    throw new ApiFailure(response.status, await errorOf(response));
  }
  return {
    post: async (name, body) => (await send(name, body)).json(),
    stream: (signal) => send("events", {}, signal),
  };
}

async function errorOf(response: Response): Promise<ApiError["error"]> {
  try {
    return ((await response.json()) as ApiError).error;
  } catch {
    return { code: "unreadable", message: `The inspector answered with HTTP status ${response.status}.` };
  }
}
