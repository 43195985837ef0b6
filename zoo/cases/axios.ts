import axios, { AxiosError, AxiosHeaders, type AxiosRequestConfig, type AxiosResponse, isAxiosError } from "axios";
import { accepts, gives, refuses } from "../expect.ts";

/** A client whose requests are answered with a recorded response. */
const client = (status: number, data: unknown) =>
  axios.create({
    headers: { Authorization: "Bearer SECRET" },
    adapter: async (config) => {
      const response = { data, status, statusText: "S", headers: new AxiosHeaders({ "x-a": "1" }), config };
      if (status < 400) return response;
      throw new AxiosError("Request failed", "ERR_BAD_REQUEST", config, {}, response);
    },
  });

/** Reads a page. */
export async function read(url: string): Promise<Pick<AxiosResponse<{ id: number }>, "data" | "status">> {
  const { data, status } = await client(200, { id: 1 }).get<{ id: number }>(url);
  return { data, status };
}
gives(read, ["https://example.org"], { data: { id: 1 }, status: 200 });

/** Shows headers. */
export async function headers(url: string): Promise<AxiosHeaders> {
  const { headers } = await client(200, {}).get(url);
  return AxiosHeaders.from(headers as AxiosHeaders);
}
gives(headers, ["https://example.org"], { "x-a": "1" });

/** Explains why a request failed. */
export async function explain(url: string): Promise<{
  error: AxiosError<{ code: string }> | null;
  unknown: unknown;
  all: PromiseSettledResult<AxiosResponse["status"]>[];
}> {
  const request = () =>
    client(400, { code: "SECRET" })
      .get(url)
      .then(({ status }) => status);
  const error = await request().catch((found: unknown) => found);
  return { error: isAxiosError(error) ? error : null, unknown: error, all: await Promise.allSettled([request()]) };
}
gives(explain, ["https://example.org"], {
  error: { name: "AxiosError", message: "Request failed" },
  unknown: { name: "AxiosError", message: "Request failed" },
  all: [{ status: "rejected", reason: { name: "AxiosError", message: "Request failed" } }],
});

/** Fails. */
export async function fail(url: string): Promise<AxiosError> {
  return client(400, {})
    .get(url)
    .catch((error: AxiosError) => error) as Promise<AxiosError>;
}
gives(fail, ["https://example.org"], { name: "AxiosError", message: "Request failed" });

/** Prepares a request. */
export function prepare(
  config: Pick<AxiosRequestConfig<string>, "url" | "method" | "timeout" | "params" | "data" | "signal">,
): string {
  return axios.getUri(config);
}
accepts(prepare, [{ url: "a", method: "GET" }], [{}]);
gives(prepare, [{ url: "a", params: { b: [1] } }], "a?b%5B%5D=1");
refuses(prepare, [{ timeout: "5" }], [{ data: 5 }], [{ ulr: "a" }]);
