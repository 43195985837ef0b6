import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  Sequelize,
  ValidationError,
  type ValidationErrorItem,
} from "sequelize";
import { accepts, fails, gives, refuses } from "../expect.ts";

class Account extends Model<InferAttributes<Account>, InferCreationAttributes<Account>> {
  declare id: CreationOptional<number>;
  declare email: string;
  declare joined: Date | null;
}
const Accounts = Account.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    email: { type: DataTypes.STRING, validate: { isEmail: true }, allowNull: false },
    joined: DataTypes.DATE,
  },
  { sequelize: new Sequelize({ dialect: "postgres", logging: false }), timestamps: false },
);

/** Creates an account. Its id is null until it is saved, although the type is number. */
export function create(email: string): InferAttributes<Account> {
  return Accounts.build({ email, joined: new Date(0) }).get({ plain: true });
}
fails(create, ["a@example.org"], "id", "a@example.org");

/** Reads an account. */
export async function read(row: InferCreationAttributes<Account>): Promise<InferAttributes<Account>> {
  return Accounts.build({ ...row, id: 5 }, { isNewRecord: false }).toJSON();
}
accepts(read, [{ id: 1, email: "a", joined: null }], [{ id: 5, email: "a", joined: new Date(0) }]);
gives(read, [{ id: 1, email: "a", joined: new Date(0) }], { id: 5, email: "a", joined: "1970-01-01T00:00:00.000Z" });
refuses(read, [{ joined: null }]);

/** Checks an account. */
export async function check(
  email: string,
): Promise<{ error?: ValidationError; fields: Pick<ValidationErrorItem, "path" | "message">[] }> {
  try {
    await Accounts.build({ email, joined: null }).validate();
    return { fields: [] };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { error, fields: error.errors.map(({ path, message }) => ({ path, message })) };
  }
}
gives(check, ["a"], {
  error: { name: "SequelizeValidationError", message: "Validation error: Validation isEmail on email failed" },
  fields: [{ path: "email", message: "Validation isEmail on email failed" }],
});
gives(check, ["a@example.org"], { fields: [] });
