import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import type { Database } from '#storage/database.ts';
import { readFact } from '#storage/facts.ts';
import { addUser, hasAdmin, hasNoUsers } from '#storage/users.ts';
import type { Config } from './config.ts';

/**
 * Brings a migrated database to the point where people can sign in: built-in strategies, the first admin, and on an
 * empty database of a demonstration, by `demonstrate`, its accounts, bots and past. Gives the lines to print.
 */
export async function prepare(db: Database, config: Config, demonstrate: () => Promise<string[]>): Promise<string[]> {
  await enterBuiltInStrategies(db);
  const lines: string[] = [];
  if (config.admin !== null && !(await hasAdmin(db))) {
    const { email, password } = config.admin;
    await addUser(db, { email, passwordHash: await hashPassword(password), role: 'admin', verified: true });
    lines.push(`Sign in: ${email} with the password of ADMIN_PASSWORD (admin)`);
  }
  const seededAt = await readFact<string>(db, 'demonstration_seeded_at');
  if (config.isDemo && seededAt === null && (await hasNoUsers(db))) return demonstrate();
  if (seededAt !== null) {
    lines.push(
      `The accounts are those of the first start (${seededAt.slice(0, 16).replace('T', ' ')} UTC), when their passwords were printed.`,
    );
    lines.push(`Lost them? Use "Forgot password?"; the code is in ${config.home}/mails. Or delete ${config.home} to start anew.`);
  } else if (!(await hasAdmin(db))) {
    lines.push('There is no admin yet. Set ADMIN_EMAIL and ADMIN_PASSWORD and start again.');
  }
  return lines;
}
