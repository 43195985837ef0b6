import type { Customer, Database } from "./database.ts";

/** An error that the application shows to its users, wherever it is used. */
export class CrmError extends Error {
  override readonly name: string = "CrmError";
}

/** There is no such customer. */
class UnknownCustomer extends CrmError {
  constructor(id: number) {
    super(`There is no customer ${id}.`);
  }
}

/** Asks a service of others for facts about a company. */
export type Enrich = (name: string) => Promise<{ employees: number }>;

/** The service of the application, with its rules. Knows nothing of AI clients. */
export class Customers {
  readonly #database: Database;
  readonly #enrich: Enrich;

  constructor(database: Database, enrich: Enrich) {
    this.#database = database;
    this.#enrich = enrich;
  }

  find(id: number): Customer {
    const customer = this.#database.customer(id);
    if (customer === undefined) throw new UnknownCustomer(id);
    return customer;
  }

  list(city: string | undefined, after: number, limit: number): Customer[] {
    return this.#database.page(after, limit, city);
  }

  add(name: string, city: string): Customer {
    if (this.#database.page(0, 1000, city).some((each) => each.name === name)) {
      throw new CrmError(`${name} in ${city} is a customer already.`);
    }
    return this.find(this.#database.add({ name, city, since: new Date() }));
  }

  remove(id: number): void {
    this.find(id);
    this.#database.remove(id);
  }

  async size(id: number): Promise<number> {
    return (await this.#enrich(this.find(id).name)).employees;
  }
}

/** Reaches the service over HTTP. */
export function enrichAt(url: string, key: string): Enrich {
  return async (name) => {
    const response = await fetch(new URL(`companies/${encodeURIComponent(name)}`, url), {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(5000),
    });
    if (!response.ok) throw new CrmError(`The company register does not know ${name}.`);
    return (await response.json()) as { employees: number };
  };
}
