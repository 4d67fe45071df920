import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { isWeakPassword } from '#server/auth/password-strength.ts';
import { makeSetUpCode } from '#server/auth/set-up-code.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import type { Database } from '#storage/database.ts';
import { placeOutside } from '#storage/embedded/server-place.ts';
import { storeFault } from '#storage/installation/store-fault.ts';
import { readFact } from '#storage/installation/facts.ts';
import { addUser, findUserByEmail, hasAdmin, hasNoUsers } from '#storage/users/users.ts';
import type { Config } from './config.ts';
import { installationKey } from './installation-key.ts';
import { printable } from './printable.ts';

const seededFact = 'demonstration_seeded_at';

/**
 * Brings a migrated database to the point where people can sign in: built-in strategies, the first admin, and on an
 * empty database of a demonstration, by `demonstrate`, its accounts, bots and past. Gives the lines to print.
 *
 * Fails: with one sentence when the demonstration would be open to others, the installation's key is missing or another's,
 * or the admin's password is too easy to guess
 */
export async function prepare(db: Database, config: Config, demonstrate: () => Promise<string[]>): Promise<string[]> {
  await refuseOpenDemonstration(db, config);
  await installationKey(db, config);
  await enterBuiltInStrategies(db);
  const ofAdmin = config.admin === null ? null : await makeAdmin(db, config.admin);
  const lines = [await storeFault(db), ofAdmin].filter((line) => line !== null);
  const seededAt = await readFact<string>(db, seededFact);
  if (config.isDemo && seededAt === null && (await hasNoUsers(db))) return [...lines, ...(await demonstrate())];
  if (seededAt !== null) {
    lines.push(
      `The accounts are those of the first start (${seededAt.slice(0, 16).replace('T', ' ')} UTC), when their passwords were printed.`,
    );
    const outside = config.databaseUrl === null ? placeOutside(config.home) : null;
    const folders = outside === null ? config.home : `${config.home} and ${outside}`;
    lines.push(`Lost them? Use "Forgot password?"; the code is in ${config.home}/mails. Or delete ${folders} to start over.`);
  } else if (config.admin === null && !(await hasAdmin(db))) {
    lines.push('There is no admin yet. To make one, open /set-up and enter this code:');
    lines.push(`  ${await makeSetUpCode(db)}`);
    lines.push('Or set ADMIN_EMAIL and ADMIN_PASSWORD and start again.');
  }
  return lines;
}

/**
 * Refuses to serve a demonstration to others than the people at this machine: its accounts are for trying out, and
 * their codes lie in files.
 *
 * Fails: with the way out
 */
export async function refuseOpenDemonstration(db: Database, config: Config): Promise<void> {
  if (!config.isOpen || (await readFact<string>(db, seededFact)) === null) return;
  throw new Error(
    `The data in ${config.home} is a demonstration, with accounts that are for trying out on this machine only. To let others in, set FLOTILLA_HOME to a new folder (or DATABASE_URL to an empty database) and ADMIN_EMAIL and ADMIN_PASSWORD; to keep the demonstration, leave HOST and PUBLIC_URL on this machine.`,
  );
}

/** Makes the first admin; gives what the person has to know, null when the address is an admin's already. */
async function makeAdmin(db: Database, { email, password }: { email: string; password: string }): Promise<string | null> {
  const isThere = await hasAdmin(db);
  if (!isThere) {
    if (isWeakPassword(password, email)) throw new Error('ADMIN_PASSWORD is too easy to guess. Set another one and start again.');
    const made = await addUser(db, { email, passwordHash: await hashPassword(password), role: 'admin', verified: true });
    if (made !== null) return `Sign in: ${email} with the password of ADMIN_PASSWORD (admin)`;
  }
  const holder = await findUserByEmail(db, email);
  if (holder?.role === 'admin') return null;
  const taken = holder === null ? '' : ` ${printable(holder.email)} is an account with the role ${holder.role}, and stays that.`;
  return isThere
    ? `ADMIN_EMAIL was not used: it makes the first admin, and there is one already.${taken}`
    : `There is no admin: ADMIN_EMAIL was not used.${taken} Anybody may have registered it. Set ADMIN_EMAIL to an address without an account and start again.`;
}
