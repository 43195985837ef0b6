import { PostgrestClient, type PostgrestError, type PostgrestSingleResponse } from "@supabase/postgrest-js";
import { fails, gives } from "../expect.ts";

interface Database {
  public: {
    Tables: {
      users: {
        Row: { id: number; name: string; meta: { plan: string } | null };
        Insert: { id?: number; name: string };
        Update: { name?: string };
        Relationships: [];
      };
    };
    Views: Record<string, never>;
    Functions: Record<string, never>;
  };
}

const clientFor = (body: unknown, status: number): PostgrestClient<Database> =>
  new PostgrestClient<Database>("https://db.example.org", {
    fetch: async () => new Response(JSON.stringify(body), { status, headers: { "content-range": "0-0/7" } }),
  });

/** Lists users. */
export async function users(): Promise<Database["public"]["Tables"]["users"]["Row"][]> {
  const { data } = await clientFor([{ id: 1, name: "A", meta: { plan: "x" } }], 200)
    .from("users")
    .select()
    .throwOnError();
  return data;
}
gives(users, [], [{ id: 1, name: "A", meta: { plan: "x" } }]);

/** Lists the names of users. */
export async function names(): Promise<PostgrestSingleResponse<{ name: string }[]>> {
  return clientFor([{ name: "A" }], 200)
    .from("users")
    .select("name", { count: "exact" });
}
gives(names, []);

const failing = () =>
  clientFor({ message: "no", code: "42P01", details: "SECRET", hint: null }, 404).from("users").select();

/** Explains why a query failed. The type is a class with a name, but the value is a plain object. */
export async function explain(): Promise<PostgrestError | null> {
  return (await failing()).error;
}
fails(explain, [], "name");

/** Tries a query. */
export async function attempt(): Promise<PromiseSettledResult<unknown>[]> {
  return Promise.allSettled([failing().throwOnError()]);
}
gives(attempt, [], [{ status: "rejected", reason: { name: "PostgrestError", message: "no" } }]);
