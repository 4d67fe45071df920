import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import type { Database } from '#storage/database.ts';
import { readFact, writeFact } from '#storage/facts.ts';
import type { User } from '#storage/users.ts';
import { addUser, hasAdmin, hasNoUsers } from '#storage/users.ts';
import { randomInt } from 'node:crypto';
import { exchangeMarkets } from './exchange-markets.ts';
import type { Config } from './config.ts';
import { prepareDemonstration, writeDemonstration } from '#runner/demonstration/seed.ts';

/** An account of the demonstration, with the password that is printed once. */
interface DemoAccount {
  email: string;
  role: User['role'];
  password: string;
}

/**
 * Brings a migrated database to the point where people can sign in: built-in strategies, the first admin, and on an
 * empty database of a demonstration its accounts, bots and past. Gives the lines to print.
 */
export async function prepare(db: Database, config: Config, sandboxUrl: string, say: (line: string) => void): Promise<string[]> {
  await enterBuiltInStrategies(db);
  const lines: string[] = [];
  if (config.admin !== null && !(await hasAdmin(db))) {
    const { email, password } = config.admin;
    await addUser(db, { email, passwordHash: await hashPassword(password), role: 'admin', verified: true });
    lines.push(`Sign in: ${email} with the password of ADMIN_PASSWORD (admin)`);
  }
  const seededAt = await readFact<string>(db, 'demonstration_seeded_at');
  if (config.isDemo && seededAt === null && (await hasNoUsers(db))) {
    const accounts = await seedAll(db, sandboxUrl, say);
    return accounts.map(({ email, password, role }) => `Sign in: ${email} / ${password} (${role})`);
  }
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

/** The accounts, bots and past of the demonstration. */
async function seedAll(db: Database, sandboxUrl: string, say: (line: string) => void): Promise<DemoAccount[]> {
  const accounts = (['admin', 'operator', 'trader', 'investor'] as const).map((role) => ({
    email: `${role}@flotilla.example`,
    role,
    password: readablePassword(),
  }));
  const markets = exchangeMarkets({ sandboxUrl });
  say('Making the demonstration: ten bots trade the last 60 days of the simulated market ...');
  try {
    const prepared = await prepareDemonstration(db, markets, Date.now(), say);
    const hashes = await Promise.all(accounts.map(({ password }) => hashPassword(password)));
    // In one transaction: the demonstration is whole or not there.
    await db.transaction().execute(async (trx) => {
      const owners = new Map<string, string>();
      for (const [i, { email, role }] of accounts.entries()) {
        const user = await addUser(trx, { email, passwordHash: hashes[i] ?? '', role, verified: true });
        if (user !== null) owners.set(role, user.id);
      }
      await writeDemonstration(trx, prepared, owners);
      await writeFact(trx, 'demonstration_seeded_at', new Date().toISOString());
    });
  } finally {
    await markets.close();
  }
  return accounts;
}

/** Random, and easy to type: four groups of four, some 80 bits. */
function readablePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
