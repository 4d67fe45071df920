import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { addApiKey } from '#storage/exchange-accounts/api-keys.ts';
import type { Database } from '#storage/database.ts';
import { addUser } from '#storage/users/users.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { sealingKey } from '#vault/sealing.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { addManyBots } from './many-bots.ts';

const botsOfOne = 20;

/** Makes `count` active live bots with three pairs each, every one with an account of its own at the sandbox; every second is on perpetuals. */
export async function addLiveBots(db: Database, count: number, sandboxUrl: string, masterKey: Buffer): Promise<void> {
  await addManyBots(db, count);
  await sql`
    update bots set market_type = 'futures', leverage = 2, symbols = array(select s || ':USDT' from unnest(symbols) s)
    where split_part(nickname, ' ', 2)::int % 2 = 1`.execute(db);
  // Twenty bots have one owner: a person's limits are not made for hundreds.
  for (let n = 1; n * botsOfOne < count; n++) {
    const owner = await addUser(db, { email: `live${n}@example.com`, passwordHash: 'none', role: 'trader', verified: true });
    await sql`update bots set user_id = ${owner?.id} where split_part(nickname, ' ', 2)::int / ${botsOfOne} = ${n}`.execute(db);
  }
  const sealing = await sealingKey(masterKey);
  const newKey = sandboxKeys(sandboxUrl);
  for (const { id: botId, userId } of await db.selectFrom('bots').select(['id', 'userId']).execute()) {
    const id = randomUUID();
    const credentials = { ...(await newKey()), passphrase: null };
    await addApiKey(db, {
      id,
      userId,
      exchangeId: 'sandbox',
      label: 'bench',
      keyHint: credentials.key.slice(-4),
      hasPassphrase: false,
      sealed: await sealCredentials(sealing, { id, userId }, credentials),
      checkedAt: new Date(),
      checkResult: 'ok',
      canTrade: true,
      canWithdraw: false,
      isIpBound: null,
    });
    await sql`update bots set mode = 'live', api_key_id = ${id} where id = ${botId}`.execute(db);
  }
}
