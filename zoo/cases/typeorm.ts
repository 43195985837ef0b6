import "reflect-metadata";
import initSqlJs from "sql.js";
import {
  Column,
  DataSource,
  Entity,
  EntityNotFoundError,
  type InsertResult,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
} from "typeorm";
import { gives, refuses } from "../expect.ts";

@Entity()
class User {
  @PrimaryGeneratedColumn() id!: number;
  @Column("text") name!: string;
  @Column("datetime") joined!: Date;
  @Column("simple-json", { nullable: true }) settings!: { dark: boolean } | null;
  @OneToMany(
    () => Post,
    (post) => post.author,
  )
  posts?: Relation<Post>[];
}

@Entity()
class Post {
  @PrimaryGeneratedColumn() id!: number;
  @Column("text") title!: string;
  @ManyToOne(
    () => User,
    (user) => user.posts,
  )
  @JoinColumn()
  author?: Relation<User>;
}

async function open(): Promise<DataSource> {
  const driver = await initSqlJs();
  const source = new DataSource({ type: "sqljs", driver, entities: [User, Post], synchronize: true });
  await source.initialize();
  const author = await source.getRepository(User).save({ name: "A", joined: new Date(0), settings: { dark: true } });
  await source.getRepository(Post).save([{ title: "B", author }]);
  return source;
}

/** Shows a user. */
export async function user(id: number): Promise<User | null> {
  return (await open()).getRepository(User).findOneBy({ id });
}
gives(user, [1], { id: 1, name: "A", joined: "1970-01-01T00:00:00.000Z", settings: { dark: true } });
gives(user, [5], null);
refuses(user, ["1"]);

/** Lists users with their posts. */
export async function list(title: string): Promise<[users: User[], count: number]> {
  return (await open()).getRepository(User).findAndCount({ where: { posts: { title } }, relations: { posts: true } });
}
gives(
  list,
  ["B"],
  [
    [
      {
        id: 1,
        name: "A",
        joined: "1970-01-01T00:00:00.000Z",
        settings: { dark: true },
        posts: [{ id: 1, title: "B" }],
      },
    ],
    1,
  ],
);

/** Adds a post. */
export async function add(title: string): Promise<Pick<InsertResult, "identifiers" | "generatedMaps">> {
  const { identifiers, generatedMaps } = await (await open()).getRepository(Post).insert({ title });
  return { identifiers, generatedMaps };
}
gives(add, ["C"], { identifiers: [{ id: 2 }], generatedMaps: [{ id: 2 }] });

/** Tries to find a user. */
export async function attempt(id: number): Promise<PromiseSettledResult<User>[]> {
  return Promise.allSettled([
    (await open()).getRepository(User).findOneByOrFail({ id }),
    Promise.reject(new EntityNotFoundError(Post, id)),
  ]);
}
gives(
  attempt,
  [1],
  [
    { status: "fulfilled", value: { id: 1, name: "A", joined: "1970-01-01T00:00:00.000Z", settings: { dark: true } } },
    {
      status: "rejected",
      reason: { name: "EntityNotFoundError", message: 'Could not find any entity of type "Post" matching: 1' },
    },
  ],
);
