import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { liveKeys, writeLiveBots } from '#runner/demonstration/live-bots.ts';
import { prepareDemonstration, writeDemonstration } from '#runner/demonstration/seed.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import { openDatabase } from '#storage/database.ts';
import { writeFact } from '#storage/installation/facts.ts';
import { addUser } from '#storage/users/users.ts';
import { randomInt } from 'node:crypto';
import type { Config } from './config.ts';
import { exchangeMarkets } from '#feeds/exchange-markets.ts';
import { sealingKey } from '#vault/sealing.ts';
import { installationKey } from './installation-key.ts';

/**
 * Makes the demonstration, in a process of its own: running ten bots over 60 days takes memory that the product does not
 * need afterwards. Sends its parent the accounts' lines, the only place where their passwords are shown.
 */
export async function demonstrateCommand(config: Config, say: (line: string) => void): Promise<void> {
  let isWriting = false;
  // Without its parent nobody would ever see the passwords. A write that has begun is finished, so that they are seen.
  process.on('disconnect', () => process.exit(1));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => isWriting || process.exit(1));
  const db = openDatabase(config.databaseUrl ?? '', { connections: 4 });
  const markets = exchangeMarkets({ sandboxUrl: config.sandboxUrl ?? '' });
  const accounts = (['admin', 'operator', 'trader', 'investor'] as const).map((role) => ({
    email: `${role}@flotilla.example`,
    role,
    password: readablePassword(),
  }));
  try {
    say('Making the demonstration: ten bots trade the last 60 days of the simulated market ...');
    const sealing = await sealingKey(await installationKey(db, config));
    const keys = await liveKeys(sandboxKeys(config.sandboxUrl));
    const prepared = await prepareDemonstration(db, markets, Date.now(), say);
    const hashes = await Promise.all(accounts.map(({ password }) => hashPassword(password)));
    isWriting = true;
    // In one transaction: the demonstration is whole or not there.
    await db.transaction().execute(async (trx) => {
      const owners = new Map<string, string>();
      for (const [i, { email, role }] of accounts.entries()) {
        const user = await addUser(trx, { email, passwordHash: hashes[i] ?? '', role, verified: true });
        if (user !== null) owners.set(role, user.id);
      }
      await writeDemonstration(trx, prepared, owners);
      await writeLiveBots(trx, owners.get('trader') ?? '', sealing, keys);
      await writeFact(trx, 'demonstration_seeded_at', new Date().toISOString());
    });
    process.send?.(accounts.map(({ email, password, role }) => `Sign in: ${email} / ${password} (${role})`));
  } finally {
    await markets.close();
    await db.destroy();
    process.removeAllListeners('disconnect');
    if (process.connected) process.disconnect();
  }
}

/** Random, and easy to type: four groups of four, some 80 bits. */
function readablePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
