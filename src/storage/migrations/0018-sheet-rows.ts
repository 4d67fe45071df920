import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table webhook_messages rename to trade_messages`,
  `alter table trade_messages add column kind text not null default 'chat' check (kind in ('chat', 'sheet')),
    add column cells jsonb, alter column text drop not null`,
  `alter table trade_messages alter column kind drop default`,
  `alter table trade_messages add check ((kind = 'chat') = (text is not null) and (kind = 'sheet') = (cells is not null))`,
  `drop index webhook_messages_due`,
  `create index trade_messages_due on trade_messages (kind, due_at)`,
  `alter table strategies add column sheet_result jsonb`,
];

/** Rows for spreadsheets wait in the same queue as messages for chats; how the last row went stands with the strategy. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
