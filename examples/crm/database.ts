import sqlite from "node-sqlite3-wasm";

/** A customer, as the database has it. */
export interface Customer {
  id: number;
  name: string;
  city: string;
  since: Date;
}

const SCHEMA = `
  create table if not exists customer (id integer primary key, name text not null, city text not null, since text not null);
  create index if not exists customer_city on customer (city);
`;

/** The tables of the application. Knows nothing of AI clients. */
export class Database {
  readonly #file: string;
  #opened: InstanceType<typeof sqlite.Database> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Opened by the first use: a module that is only described, as in CI, opens no database. */
  get #db() {
    if (this.#opened === undefined) {
      this.#opened = new sqlite.Database(this.#file);
      this.#opened.exec(SCHEMA);
    }
    return this.#opened;
  }

  customer(id: number): Customer | undefined {
    const row = this.#db.get("select * from customer where id = ?", id);
    return row ? toCustomer(row) : undefined;
  }

  /** The customers with larger ids than `after`, in their order. */
  page(after: number, limit: number, city?: string): Customer[] {
    const rows = this.#db.all("select * from customer where id > ? and (? is null or city = ?) order by id limit ?", [
      after,
      city ?? null,
      city ?? null,
      limit,
    ]);
    return rows.map(toCustomer);
  }

  add({ name, city, since }: Omit<Customer, "id">): number {
    return Number(
      this.#db.run("insert into customer (name, city, since) values (?, ?, ?)", [name, city, since.toISOString()])
        .lastInsertRowid,
    );
  }

  remove(id: number): void {
    this.#db.run("delete from customer where id = ?", id);
  }

  close(): void {
    this.#opened?.close();
  }
}

function toCustomer({ id, name, city, since }: Readonly<Record<string, unknown>>): Customer {
  return { id: Number(id), name: String(name), city: String(city), since: new Date(String(since)) };
}
