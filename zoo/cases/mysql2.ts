import { once } from "node:events";
import mysqlServer from "mysql2";
import { createConnection, type FieldPacket, type ResultSetHeader, type RowDataPacket } from "mysql2/promise";
import { gives } from "../expect.ts";

interface UserRow extends RowDataPacket {
  id: number;
  name: string;
}

const column = (name: string, columnType: number) => ({
  catalog: "def",
  schema: "app",
  table: "users",
  orgTable: "users",
  name,
  orgName: name,
  characterSet: 33,
  columnLength: 300,
  columnType,
  flags: 0,
  decimals: 0,
});

/** Sends a query to a server of the same package, which answers with one user. */
async function query<T extends UserRow[] | ResultSetHeader>(sql: string): Promise<[T, FieldPacket[]]> {
  // biome-ignore lint/suspicious/noExplicitAny: mysql2 has no types for its server
  const server = (mysqlServer as any).createServer();
  // biome-ignore lint/suspicious/noExplicitAny: mysql2 has no types for its server
  server.on("connection", (connection: any) => {
    const [protocolVersion, serverVersion, connectionId, statusFlags, characterSet] = [10, "8.0.0", 1, 2, 8];
    connection.serverHandshake({
      protocolVersion,
      serverVersion,
      connectionId,
      statusFlags,
      characterSet,
      capabilityFlags: 0xffffff ^ 0x800,
    });
    connection.on("query", (text: string) => {
      connection.sequenceId = 1;
      if (text.startsWith("insert")) connection.writeOk({ affectedRows: 1, insertId: 7 });
      else connection.writeTextResult([{ id: 1, name: "A" }], [column("id", 3), column("name", 253)]);
    });
    connection.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server._server, "listening");
  const client = await createConnection({
    host: "127.0.0.1",
    port: server._server.address().port,
    user: "u",
    disableEval: true,
  });
  const answer = await client.query<T>(sql);
  client.destroy();
  server._server.close();
  return answer;
}

/** Lists users. */
export async function users(): Promise<UserRow[]> {
  const [rows] = await query<UserRow[]>("select * from users");
  return rows;
}
gives(users, [], [{ id: 1, name: "A" }]);

/** Adds a user. */
export async function add(name: string): Promise<Pick<ResultSetHeader, "insertId" | "affectedRows">> {
  const [{ insertId, affectedRows }] = await query<ResultSetHeader>(`insert into users values ('${name}')`);
  return { insertId, affectedRows };
}
gives(add, ["A"], { insertId: 7, affectedRows: 1 });
