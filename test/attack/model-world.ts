import type { Role } from '#contract/fields.ts';
import { texts } from '#contract/errors.ts';
import { notVerifiedForAdmin } from '#contract/users.ts';

/** What people do, as data: who does it is whoever is signed in in that browser. */
export type Action =
  | { do: 'sign in'; browser: number; person: number; word: number }
  | { do: 'sign out'; browser: number }
  | { do: 'renew'; browser: number }
  | { do: 'who am I'; browser: number }
  | { do: 'count sessions'; browser: number }
  | { do: 'end other sessions'; browser: number }
  | { do: 'change password'; browser: number; word: number }
  | { do: 'change role'; browser: number; person: number; role: Role }
  | { do: 'verify'; browser: number; person: number; verified: boolean; emailVerified: boolean }
  | { do: 'set status'; browser: number; person: number; status: Bot['status'] }
  | { do: 'set status as admin'; browser: number; person: number; status: Bot['status'] }
  | { do: 'set mode'; browser: number; person: number; mode: Bot['mode'] }
  | { do: 'add key'; browser: number; label: string; toBot: boolean }
  | { do: 'delete key'; browser: number; label: string };

interface Person {
  role: Role;
  verified: boolean;
  emailVerified: boolean;
  word: number; // which password is theirs; `wrongWord` is nobody's
}

interface Bot {
  status: 'active' | 'paused' | 'stopped';
  mode: 'paper' | 'live';
  key: string | null; // label
}

/** All that the actions may change. Person n owns bot n. */
export interface World {
  people: Person[];
  bots: Bot[];
  keys: { label: string; person: number }[];
  sessions: { person: number; isLive: boolean }[]; // in the sequence in which they began
  browsers: (number | null)[]; // the session whose cookie each holds, live or not
}

/** A password that nobody has. */
export const wrongWord = 2;
const mostSessions = 10;

/** What the server should make of an action: the world after it, and the answer in short. The first world stays as it is. */
export function afterAction(before: World, action: Action): { world: World; answer: string } {
  const world = structuredClone(before);
  const answer = action.do === 'sign in' ? signIn(world, action) : act(world, action);
  return { world, answer };
}

function begin(world: World, browser: number, person: number): void {
  world.sessions.push({ person, isLive: true });
  world.browsers[browser] = world.sessions.length - 1;
  const live = world.sessions.filter((session) => session.isLive && session.person === person);
  for (const session of live.slice(0, Math.max(0, live.length - mostSessions))) session.isLive = false;
}

function endAll(world: World, person: number, except: number | null = null): void {
  for (const [i, session] of world.sessions.entries()) if (session.person === person && i !== except) session.isLive = false;
}

function signIn(world: World, { browser, person, word }: Action & { do: 'sign in' }): string {
  const who = world.people[person];
  if (who.word !== word) return '401 Invalid email or password';
  if (!who.emailVerified) return 'code mailed';
  begin(world, browser, person);
  return 'signed in';
}

function act(world: World, action: Exclude<Action, { do: 'sign in' }>): string {
  const held = world.browsers[action.browser] ?? null;
  const session = held === null ? undefined : world.sessions[held];
  if (action.do === 'sign out') {
    if (session !== undefined) session.isLive = false;
    world.browsers[action.browser] = null;
    return '200';
  }
  if (session?.isLive !== true) {
    if (action.do !== 'renew') return `401 ${texts.notAuthenticated}`;
    world.browsers[action.browser] = null;
    return '401 Session expired';
  }
  const { person: self } = session;
  const me = world.people[self];
  if (action.do === 'renew') return '200';
  if (action.do === 'who am I') return `${me.role} ${me.verified} ${me.emailVerified}`;
  if (action.do === 'count sessions') return String(world.sessions.filter(({ isLive, person }) => isLive && person === self).length);
  if (action.do === 'end other sessions') {
    endAll(world, self, held);
    return '200';
  }
  if (action.do === 'change password') {
    me.word = action.word;
    endAll(world, self);
    begin(world, action.browser, self);
    return '200';
  }
  if (action.do === 'add key') return addKey(world, action, self);
  if (action.do === 'delete key') {
    const key = world.keys.find(({ label, person }) => label === action.label && person === self);
    if (key === undefined) return '404 API key not found';
    if (world.bots.some((bot) => bot.key === key.label && bot.mode === 'live'))
      return '409 A live bot trades with this key. Switch it to paper first.';
    for (const bot of world.bots) if (bot.key === key.label) bot.key = null;
    world.keys = world.keys.filter((other) => other !== key);
    return '200';
  }
  if (action.do === 'set status' || action.do === 'set mode') {
    if (me.role !== 'admin' && action.person !== self) return `403 ${texts.noAccessToBot}`;
    return changeBot(world, action, me);
  }
  if (me.role !== 'admin') return `403 ${texts.adminRequired}`;
  if (action.do === 'set status as admin') return changeBot(world, action, me);
  const target = world.people[action.person];
  if (target.role === 'admin') return `403 Cannot change the ${action.do === 'verify' ? 'verification' : 'role'} of an admin user.`;
  if (action.do === 'verify') {
    const isWithdrawn = (target.verified && !action.verified) || (target.emailVerified && !action.emailVerified);
    if (isWithdrawn) endAll(world, action.person);
    target.verified = action.verified;
    target.emailVerified = action.emailVerified;
  } else if (target.role !== action.role) {
    if (action.role === 'admin' && !(target.verified && target.emailVerified)) return `409 ${notVerifiedForAdmin}`;
    target.role = action.role;
    endAll(world, action.person);
  }
  return '200';
}

function addKey(world: World, { label, toBot }: Action & { do: 'add key' }, self: number): string {
  const { role } = world.people[self];
  if (!toBot && role !== 'admin' && role !== 'trader') return '403 Only admins and traders can add API keys';
  if (!world.people[self].verified) return `403 ${texts.notVerified}`;
  world.keys.push({ label, person: self });
  if (toBot) {
    const bot = world.bots[self];
    bot.key = label;
    if (bot.mode === 'live' && bot.status === 'active') bot.status = 'paused'; // it trades with another account now
  }
  return '201';
}

function changeBot(world: World, action: Action & { do: 'set status' | 'set status as admin' | 'set mode' }, me: Person): string {
  const isSuspended = !me.verified || !world.people[action.person].verified;
  const bot = world.bots[action.person];
  if (action.do === 'set mode') {
    const goesLive = action.mode === 'live' && bot.mode !== 'live';
    if (goesLive && bot.key === null) return `400 ${texts.keyRequired}`;
    if (goesLive && isSuspended) return `403 ${texts.notVerified}`;
    if (action.mode !== bot.mode) {
      if (action.mode === 'live') bot.status = 'paused';
      bot.mode = action.mode;
    }
    return '200';
  }
  if (action.do === 'set status as admin' && action.status === bot.status) return '200';
  const doesMore = action.status !== bot.status && (action.status === 'active' || bot.status === 'stopped');
  if (doesMore && !me.verified) return `403 ${texts.notVerified}`;
  if (action.status === 'active') {
    if (bot.mode === 'live' && bot.key === null) return `400 ${texts.keyRequired}`;
    if (!world.people[action.person].verified) return `403 ${texts.notVerified}`;
  }
  bot.status = action.status;
  return '200';
}
