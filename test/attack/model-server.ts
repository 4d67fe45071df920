import { addUser, findUser } from '#storage/users/users.ts';
import { findBot } from '#storage/bots/bots.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import { sql } from 'kysely';
import type { LightMyRequestResponse } from 'fastify';
import { beginSession } from '#server/auth/sessions.ts';
import { randomUUID } from 'node:crypto';
import type { TestServer } from '../support/test-server.ts';
import type { CallInput } from '#contract/client.ts';
import type { RouteName } from '#contract/routes.ts';
import { missingId } from './known-values.ts';
import type { Action, World } from './model-world.ts';
import { sendCall } from './send-call.ts';

/** Does the actions at the real server, and reads what became of them. */
export interface RealWorld {
  /** Does an action and gives the answer in the model's words. */
  do(action: Action): Promise<string>;
  /** What the model knows of the accounts, bots, keys and sessions, read from the database. */
  state(): Promise<unknown>;
}

const words = ['the first of my passwords', 'the second of my passwords', 'no password of mine'];
const hashed = words.map((word) => hashPassword(word));
let worlds = 0;

/** Makes the people, bots and sessions of a world; `botId` is of the bot that theirs are copies of. */
export async function makeRealWorld(server: TestServer, world: World, botId: string): Promise<RealWorld> {
  const { db, now } = server.dependencies;
  const made = ++worlds;
  const people = await Promise.all(
    world.people.map(async ({ role, verified, emailVerified, word }, i) => {
      const email = `person-${i}-of-world-${made}@attack.example`;
      const user = await addUser(db, { email, passwordHash: (await hashed[word]) ?? '', role, verified });
      const id = user?.id ?? '';
      await sql`update users set email_verified = ${emailVerified} where id = ${id}`.execute(db);
      const bot = randomUUID();
      await sql`insert into bots select (jsonb_populate_record(b, jsonb_build_object('id', ${bot}::uuid, 'user_id', ${id}::uuid))).*
        from bots b where b.id = ${botId}`.execute(db);
      return { id, email, bot };
    }),
  );
  const tokens: string[] = [];
  for (const { person: i } of world.sessions) tokens.push((await beginSession(db, people[i]?.id ?? '', now(), '127.0.0.1')).token);
  const cookies = world.browsers.map((session) => (session === null ? null : (tokens[session] ?? null)));
  const keyIds = new Map<string, string>();
  const person = (i: number) => people[i];

  async function call<Name extends RouteName>(browser: number, name: Name, input: CallInput<Name>): Promise<LightMyRequestResponse> {
    const cookie = cookies[browser] ?? null;
    const reply = await sendCall(server, name, input, cookie === null ? {} : { cookie: `sid=${cookie}` });
    const set = reply.cookies.find((one) => one.name === 'sid');
    if (set !== undefined) cookies[browser] = set.value === '' ? null : set.value;
    return reply;
  }

  const send = async (action: Action): Promise<LightMyRequestResponse> => {
    const { browser } = action;
    switch (action.do) {
      case 'sign in':
        return call(browser, 'login', { body: { email: person(action.person).email, password: words[action.word] ?? '' } });
      case 'sign out':
        return call(browser, 'logout', {});
      case 'renew':
        return call(browser, 'refreshSession', {});
      case 'who am I':
        return call(browser, 'getMe', {});
      case 'count sessions':
        return call(browser, 'listSessions', {});
      case 'end other sessions':
        return call(browser, 'endOtherSessions', {});
      case 'change password':
        return call(browser, 'updatePassword', { body: { password: words[action.word] ?? '' } });
      case 'change role':
        return call(browser, 'changeRole', { params: { id: person(action.person).id }, body: { role: action.role } });
      case 'verify':
        return call(browser, 'verifyUser', {
          params: { id: person(action.person).id },
          body: { verified: action.verified, email_verified: action.emailVerified },
        });
      case 'set status':
        return call(browser, 'toggleBot', { params: { id: person(action.person).bot }, query: { status: action.status } });
      case 'set status as admin':
        return call(browser, 'setBotStatus', { params: { id: person(action.person).bot }, body: { status: action.status } });
      case 'set mode':
        return call(browser, 'changeBotMode', { params: { id: person(action.person).bot }, query: { mode: action.mode } });
      case 'delete key':
        return call(browser, 'deleteApiKey', { params: { id: keyIds.get(action.label) ?? missingId } });
      case 'add key': {
        // A browser names the bot of whoever is signed in in it.
        const me = action.toBot ? (await call(browser, 'getMe', {})).json<{ userId?: string }>().userId : undefined;
        const bot = people.find(({ id }) => id === me)?.bot;
        const key = { exchange_id: 'sandbox', ...(await server.dependencies.newSandboxKey()), label: action.label };
        const reply = await call(browser, 'addApiKey', { body: { ...key, ...(bot === undefined ? {} : { bot_id: bot }) } });
        if (reply.statusCode === 201) keyIds.set(action.label, reply.json<{ id: string }>().id);
        return reply;
      }
    }
  };

  return {
    async do(action) {
      const reply = await send(action);
      const json = reply.json<unknown>();
      if (reply.statusCode >= 400) return `${reply.statusCode} ${(json as { detail: string }).detail}`;
      if (action.do === 'sign in') return reply.cookies.some(({ name }) => name === 'sid') ? 'signed in' : 'code mailed';
      if (action.do === 'count sessions') return String((json as unknown[]).length);
      if (action.do !== 'who am I') return String(reply.statusCode);
      const me = json as { role: string; verified: boolean; email_verified: boolean };
      return `${me.role} ${me.verified} ${me.email_verified}`;
    },
    async state() {
      const labels = new Map([...keyIds].map(([label, id]) => [id, label]));
      const seen = people.map(async ({ id, bot: botId }) => {
        const [user, bot] = [await findUser(db, id), await findBot(db, botId)];
        const live = await sql`select id from sessions where user_id = ${id} and revoked_at is null`.execute(db);
        const keys = await sql<{ label: string }>`select label from api_keys where user_id = ${id} order by label`.execute(db);
        return {
          role: user?.role,
          verified: user?.verified,
          emailVerified: user?.emailVerified,
          sessions: live.rows.length,
          keys: keys.rows.map(({ label }) => label),
          bot: { status: bot?.status, mode: bot?.mode, key: bot?.apiKeyId === null ? null : labels.get(bot?.apiKeyId ?? '') },
        };
      });
      return Promise.all(seen);
    },
  };
}

/** The same of a world of the model. */
export function stateOf({ people, bots, keys, sessions }: World): unknown {
  return people.map(({ role, verified, emailVerified }, i) => ({
    role,
    verified,
    emailVerified,
    sessions: sessions.filter(({ isLive, person }) => isLive && person === i).length,
    keys: keys
      .filter(({ person }) => person === i)
      .map(({ label }) => label)
      .toSorted(),
    bot: bots[i],
  }));
}
