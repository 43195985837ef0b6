import "reflect-metadata";
import { type ArgumentMetadata, BadRequestException, type HttpException, NotFoundException } from "@nestjs/common";
import { PartialType, PickType } from "@nestjs/mapped-types";
import { Exclude, Expose, instanceToPlain, plainToInstance, Type } from "class-transformer";
import {
  IsArray,
  IsEmail,
  IsEnum,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
  type ValidationError,
  validateSync,
} from "class-validator";
import { defineCodec } from "proffer";
import { accepts, gives, refuses, says } from "../expect.ts";

enum Role {
  Admin = "admin",
  Member = "member",
}

class Address {
  @IsString() @Length(1, 40) city!: string;
}

class CreateUser {
  @IsEmail() email!: string;
  @IsInt() @Min(0) @Max(150) age!: number;
  @IsEnum(Role) role!: Role;
  @IsOptional() @ValidateNested() @Type(() => Address) address?: Address;
  @IsArray() @IsString({ each: true }) tags: string[] = [];
}

class UpdateUser extends PartialType(PickType(CreateUser, ["age", "role"] as const)) {
  @IsOptional() @IsString() note?: string;
}

class User {
  @Expose() id!: number;
  @Expose() email!: string;
  @Exclude() password?: string;
  @Type(() => Date) created!: Date;
}

/** Creates a user. */
export function create(user: CreateUser): User {
  const { email } = plainToInstance(CreateUser, user);
  return instanceToPlain(
    plainToInstance(User, { id: 1, email, password: "SECRET", created: "1970-01-01T00:00:00Z" }),
  ) as User;
}
accepts(create, [{ email: "a@example.org", age: 5, role: "admin" as never, tags: [] }]);
gives(create, [{ email: "a@example.org", age: 5, role: "admin" as never, tags: [], address: { city: "Bern" } }], {
  id: 1,
  email: "a@example.org",
  created: "1970-01-01T00:00:00.000Z",
});
refuses(
  create,
  [{ email: "a@example.org", age: "5", role: "admin", tags: [] }],
  [{ email: "a@example.org", age: 5, role: "owner", tags: [] }],
);
says(create, '"maximum":150', '"format":"email"', '"maxLength":40');

/** Changes a user. */
export function change(id: number, user: UpdateUser): { id: number; fields: string[] } {
  return { id, fields: Object.keys(instanceToPlain(plainToInstance(UpdateUser, user))) };
}
accepts(change, [1, {}], [1, { age: 5, note: "x" }]);
gives(change, [1, { role: "member" as never }], { id: 1, fields: ["note", "role"] });
refuses(change, [1, { email: "a@example.org" }], [1, { role: "owner" }]);

/** Checks a user. */
export async function check(email: string): Promise<Pick<ValidationError, "property" | "constraints" | "value">[]> {
  const user = plainToInstance(CreateUser, { email, age: 5, role: Role.Admin, tags: [] });
  return validateSync(user).map(({ property, constraints, value }) => ({ property, constraints, value }));
}
gives(check, ["a"], [{ property: "email", constraints: { isEmail: "email must be an email" }, value: "a" }]);

/** Explains why a user is not found. */
export function explain(id: number): {
  error: HttpException;
  bad: BadRequestException;
  kind: ArgumentMetadata["type"];
} {
  const error = new NotFoundException({ id, token: "SECRET" }, { cause: new Error("SECRET"), description: "gone" });
  return { error, bad: new BadRequestException("no"), kind: "body" };
}
gives(explain, [5], {
  error: { name: "NotFoundException", message: "Not Found Exception" },
  bad: { name: "BadRequestException", message: "no" },
  kind: "body",
});

class Street {
  @IsString() @Length(1, 40) name!: string;
  @IsInt() house!: number;
}

class Move {
  @IsEmail() email!: string;
  @ValidateNested() to!: Street;
  @IsOptional() @IsArray() @ValidateNested({ each: true }) before?: Street[];
}

export const street = defineCodec(Street);
export const moveCodec = defineCodec(Move);

/** Moves somebody. */
export function move(request: Move): string[] {
  const strict = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true };
  return validateSync(request, strict).map(({ property }) => property);
}
gives(move, [{ email: "a@example.org", to: { name: "Aare", house: 1 }, before: [{ name: "B", house: 2 }] }], []);
refuses(
  move,
  [{ email: "a@example.org", to: { name: "Aare", house: 1, admin: true } }],
  [{ email: "a@example.org", to: { name: "Aare", house: "1" } }],
);
