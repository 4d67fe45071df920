import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table report_readers (
    user_id uuid primary key references users on delete cascade,
    last_day date not null
  )`,
  `alter table mail_outbox add column attachment bytea check (octet_length(attachment) <= 2097152),
    add column attachment_name text, add check ((attachment is null) = (attachment_name is null))`,
];

/** Who wants the report of each day by mail, and which day they have had; a mail may carry a file. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
