import type { DatabaseConnection } from 'kysely';
import { PostgresDialect, Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

/**
 * Sends statements of a transaction one behind the other without waiting for the answers in between, and gives their results when all
 * have been answered: on a busy machine an answer that is waited for costs more than most statements do.
 *
 * `statements` starts them, in the sequence in which the server does them; null is none. One that sends a second statement after its
 * first was answered sends it behind those of the others.
 *
 * Fails: with the first failure in the sequence of the statements, after the last was answered
 */
export async function sentTogether<const Started extends readonly unknown[]>(
  trx: Database,
  statements: (together: Database) => Started,
): Promise<{ -readonly [I in keyof Started]: Awaited<Started[I]> }> {
  const executor = trx.getExecutor();
  return await executor.provideConnection(async (connection) => {
    const settled = await Promise.allSettled(statements(over(connection, executor)));
    const results = settled.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    return results as { -readonly [I in keyof Started]: Awaited<Started[I]> };
  });
}

/** The connection of a transaction, for statements that need not wait for each other. */
function over(connection: DatabaseConnection, executor: ReturnType<Database['getExecutor']>): Database {
  return new Transaction<Schema>({
    config: { dialect },
    dialect,
    driver: dialect.createDriver(),
    executor: executor.withConnectionProvider({ provideConnection: (use) => use(connection) }),
  });
}

/** Only says how statements are written. */
const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('These statements are sent over the connection of their transaction')),
});
