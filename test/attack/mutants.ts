/** A change of the source that takes a protection of accounts away, and the tests that must notice. */
export interface Mutant {
  name: string;
  file: string;
  find: string; // once in the file
  replace: string;
  tests: readonly string[]; // of the project `storage`
}

const attack = (...names: string[]): string[] => names.map((name) => `test/attack/${name}.test.ts`);
const server = (...names: string[]): string[] => names.map((name) => `src/server/${name}.test.ts`);
const authFile = (name: string): string => `src/server/auth/${name}.ts`;

/** Every protection that is taken away by `npm run torture mutants`, one at a time. */
export const mutants: readonly Mutant[] = [
  {
    name: 'owner-check-of-a-bot-missing',
    file: 'src/server/bots/visible-bots.ts',
    find: 'if (!mayChangeBotOf(caller, bot.userId)) throw new HttpError(403, texts.noAccessToBot);',
    replace: '',
    tests: attack('access'),
  },
  {
    name: 'traders-see-all-bots',
    file: 'src/server/bots/visible-bots.ts',
    find: 'if (!seesAllBots(caller) && bot.userId !== caller.id) throw new HttpError(403, texts.noAccessToBot);',
    replace: '',
    tests: attack('access'),
  },
  {
    name: 'owner-check-of-a-key-missing',
    file: 'src/storage/exchange-accounts/api-keys.ts',
    find: ".where('id', '=', id)\n    .where('userId', '=', userId)\n    .forUpdate()",
    replace: ".where('id', '=', id)\n    .forUpdate()",
    tests: attack('access'),
  },
  {
    name: 'anybody-cancels-a-backtest',
    file: 'src/server/backtests/backtests.ts',
    find: "if (run === null || (caller.role !== 'admin' && run.userId !== caller.id)) throw",
    replace: 'if (run === null) throw',
    tests: attack('access'),
  },
  {
    name: 'anybody-reads-a-backtest',
    file: 'src/server/backtests/backtests.ts',
    find: 'if (run === null || (ownerId !== null && run.userId !== ownerId)) return',
    replace: 'if (run === null) return',
    tests: attack('fields'),
  },
  {
    name: 'anybody-ends-a-session',
    file: 'src/server/auth/own-sessions.ts',
    find: "'ended by its owner', caller.id))) throw",
    replace: "'ended by its owner'))) throw",
    tests: attack('access'),
  },
  {
    name: 'origin-check-missing',
    file: 'src/server/mount.ts',
    find: 'refuseForeignOrigin(request, context.address);',
    replace: '',
    tests: attack('access'),
  },
  {
    name: 'role-check-missing',
    file: 'src/server/mount.ts',
    find: "if (who !== 'all' && !who.includes(caller.role)) {",
    replace: 'if (false) {',
    tests: attack('access'),
  },
  {
    name: 'odd-text-let-through',
    file: 'src/server/mount.ts',
    find: 'refuseOddText([request.body, request.query, request.params]);',
    replace: '',
    tests: attack('fuzz'),
  },
  {
    name: 'ended-session-good',
    file: authFile('sessions'),
    find: 'if (found === null || found.revokedAt !== null || found.endsAt',
    replace: 'if (found === null || found.endsAt',
    tests: attack('access'),
  },
  {
    name: 'replaced-token-renewed-for-ever',
    file: authFile('sessions'),
    find: 'if (age <= sessionLife.grace) {',
    replace: 'if (age >= 0) {',
    tests: attack('refreshes'),
  },
  {
    name: 'each-renewal-another-successor',
    file: authFile('sessions'),
    find: 'if (found.token.replacedAt !== null) {',
    replace: 'if (found.token.replacedAt !== null && now.getTime() - found.token.replacedAt.getTime() > sessionLife.grace) {',
    tests: attack('refreshes'),
  },
  {
    name: 'renewals-not-one-after-the-other',
    file: 'src/storage/auth/sessions.ts',
    find: "selectAll().where('hash', '=', hash).forUpdate().executeTakeFirst()",
    replace: "selectAll().where('hash', '=', hash).executeTakeFirst()",
    tests: attack('refreshes'),
  },
  {
    name: 'try-not-counted',
    file: 'src/storage/auth/codes.ts',
    find: "tries: eb('tries', '+', 1)",
    replace: "tries: eb('tries', '+', 0)",
    tests: server('auth/sign-in-attacks'),
  },
  {
    name: 'five-hundred-tries-of-a-code',
    file: authFile('codes'),
    find: 'const triesPerCode = 5;',
    replace: 'const triesPerCode = 500;',
    tests: attack('guesses'),
  },
  {
    name: 'wrong-codes-not-limited-by-the-hour',
    file: authFile('limits'),
    find: "wrongCodes: { name: 'wrong-code', most: 10,",
    replace: "wrongCodes: { name: 'wrong-code', most: 10_000,",
    tests: attack('guesses', 'bypasses'),
  },
  {
    name: 'wrong-code-refunded',
    file: authFile('codes'),
    find: 'if (isRight) await refund(db, limits.wrongCodes, account,',
    replace: 'await refund(db, limits.wrongCodes, account,',
    tests: attack('bypasses'),
  },
  {
    name: 'code-good-for-ever',
    file: 'src/storage/auth/codes.ts',
    find: ".where('expiresAt', '>', now)\n    .where('tries'",
    replace: ".where('tries'",
    tests: server('auth/codes'),
  },
  {
    name: 'code-not-bound-to-its-half-login',
    file: 'src/storage/auth/codes.ts',
    find: ".where('holder', '=', of.holder)\n    .where('closedAt', 'is', null)\n    .where('expiresAt', '>', now)\n    .where('tries'",
    replace: ".where('closedAt', 'is', null)\n    .where('expiresAt', '>', now)\n    .where('tries'",
    tests: attack('bypasses'),
  },
  {
    name: 'code-entered-twice',
    file: 'src/storage/auth/codes.ts',
    find: 'return used.numUpdatedRows === 1n;',
    replace: 'return used.numUpdatedRows >= 0n;',
    tests: attack('bypasses'),
  },
  {
    name: 'half-login-of-another-id',
    file: authFile('two-factor'),
    find: 'if (pending !== null && pending.user.id !== call.params.id) throw',
    replace: 'if (pending !== null && pending.user.id === call.params.code) throw',
    tests: attack('bypasses'),
  },
  {
    name: 'set-up-for-another-id',
    file: authFile('two-factor'),
    find: "if (call.params.id !== call.caller.id) throw new HttpError(403, 'You can only set up 2FA for your own account');",
    replace: '',
    tests: attack('bypasses'),
  },
  {
    name: 'code-mailed-for-another-address',
    file: authFile('two-factor'),
    find: 'if (pending === null || pending.key.emailKey !== emailKey(call.body.email)) {',
    replace: 'if (pending === null || emailKey(call.body.email) === null) {',
    tests: attack('bypasses'),
  },
  {
    name: 'sessions-kept-when-2fa-is-switched-on',
    file: authFile('two-factor'),
    find: "await endSessionsOf(trx, user.id, call.now, '2FA was switched on', sessionId);",
    replace: '',
    tests: attack('bypasses'),
  },
  {
    name: 'verification-past-2fa',
    file: authFile('sign-up'),
    find: 'if (!isRight || user === null || user.emailVerified || user.has2fa) {',
    replace: 'if (!isRight || user === null || user.emailVerified) {',
    tests: attack('bypasses'),
  },
  {
    name: 'half-login-survives-signing-out',
    file: authFile('sign-in'),
    find: 'if (half !== null) await takeHalfLogin(db, tokenHash(half));',
    replace: '',
    tests: attack('bypasses'),
  },
  {
    name: 'half-login-kept-after-a-reset',
    file: authFile('password-change'),
    find: '  await endHalfLogins(trx, user.id);',
    replace: '',
    tests: attack('bypasses'),
  },
  {
    name: 'session-kept-after-a-reset',
    file: authFile('password-change'),
    find: '  await endSessionsOf(trx, user.id, now, why, null);',
    replace: '',
    tests: attack('model'),
  },
  {
    name: 'session-kept-after-a-change-of-role',
    file: 'src/server/users/users.ts',
    find: "await endSessionsOf(trx, user.id, call.now, 'the role was changed', null);",
    replace: '',
    tests: attack('model'),
  },
  {
    name: 'role-of-an-admin-changed',
    file: 'src/server/users/users.ts',
    find: "if (user.role === 'admin') throw new HttpError(403, refusal);",
    replace: '',
    tests: attack('access'),
  },
  {
    name: 'signed-out-session-lives-on',
    file: authFile('sign-in'),
    find: "if (await endSession(trx, found.sessionId, call.now, 'signed out')) await audit(trx, call, found.user, 'sign-out', 'ok');",
    replace: "await audit(trx, call, found.user, 'sign-out', 'ok');",
    tests: attack('model'),
  },
  {
    name: 'unverified-owner-activates',
    file: 'src/server/bots/live-gates.ts',
    find: 'if (!bot.ownerVerified) throw new HttpError(403, texts.notVerified);',
    replace: '',
    tests: attack('model'),
  },
  {
    name: 'live-without-a-key',
    file: 'src/server/bots/live-gates.ts',
    find: 'if (apiKeyId === null) throw new HttpError(400, texts.keyRequired);',
    replace: '',
    tests: attack('model'),
  },
  {
    name: 'sign-in-crosses-a-change-of-the-password',
    file: authFile('open-session'),
    find: 'const same = await lockUnchanged(trx, user);',
    replace: 'const same: User | null = user;',
    tests: server('auth/sign-in-attacks'),
  },
  {
    name: 'password-tried-before-it-is-counted',
    file: authFile('password-tries'),
    find: 'for (const { limit, key } of counted) within.push(await isWithin(db, limit, key, by.now));',
    replace: `const { readCounter } = await import('#storage/calls/limit-counters.ts');
  for (const { limit, key } of counted)
    within.push((await readCounter(db, limit.name + ':' + key, by.now)).count < limit.most);
  const check = isRight;
  isRight = async () => {
    const is = await check();
    for (const { limit, key } of counted) await isWithin(db, limit, key, by.now);
    return is;
  };`,
    tests: server('auth/password-tries', 'auth/sign-in-attacks'),
  },
  {
    name: 'try-taken-back-when-wrong',
    file: authFile('password-tries'),
    find: 'if (!right || within.includes(false)) return false;\n  await refundAll();\n  return true;',
    replace: 'await refundAll();\n  return right && !within.includes(false);',
    tests: server('auth/sign-in-attacks'),
  },
  {
    name: 'no-work-for-an-unknown-account',
    file: authFile('passwords'),
    find: 'const against = passwordHash ?? (await dummyHash());',
    replace: 'if (passwordHash === null) return false;\n  const against = passwordHash ?? (await dummyHash());',
    tests: server('auth/password-work'),
  },
  {
    name: 'sixty-four-passwords-at-once',
    file: authFile('passwords'),
    find: 'export const hashedAtOnce = availableParallelism() > 2 ? 2 : 1;',
    replace: 'export const hashedAtOnce = 64;',
    tests: attack('crowd'),
  },
  {
    name: 'endless-queue-of-passwords',
    file: authFile('passwords'),
    find: 'const longestQueue = 64;',
    replace: 'const longestQueue = 1_000_000;',
    tests: attack('crowd'),
  },
  {
    name: 'repetition-with-another-body',
    file: 'src/server/calls/idempotency.ts',
    find: "if (found.state === 'other') throw new HttpError(400, texts.invalidRequest);",
    replace: '',
    tests: server('auth/sign-in-attacks'),
  },
  {
    name: 'repetition-by-another-caller',
    file: 'src/server/calls/idempotency.ts',
    find: 'const of = { caller, call:',
    replace: "const of = { caller: caller === '' ? caller : 'anybody', call:",
    tests: attack('bypasses'),
  },
  {
    name: 'audit-outside-the-transaction',
    file: 'src/server/users/users.ts',
    find: "await audit(trx, call, call.caller, 'change-role'",
    replace: "await audit(db, call, call.caller, 'change-role'",
    tests: server('one-transaction'),
  },
  {
    name: 'admin-not-asked-again-under-lock',
    file: 'src/server/users/admin-guard.ts',
    find: "if (users.get(caller.id)?.role !== 'admin') throw new HttpError(403, texts.adminRequired);",
    replace: '',
    tests: server('users/users-race'),
  },
  {
    name: 'forwarded-address-believed',
    file: 'src/server/server.ts',
    find: 'trustProxy: options.trustedProxies.length === 0 ? false :',
    replace: 'trustProxy: options.trustedProxies.length === 0 ? true :',
    tests: server('http/proxies'),
  },
  {
    name: 'unknown-fields-accepted',
    file: 'src/contract/users.ts',
    find: 'body: z.strictObject({ role:',
    replace: 'body: z.object({ role:',
    tests: attack('fields'),
  },
  {
    name: 'addresses-of-others-in-full',
    file: 'src/server/bots/bot-reply.ts',
    find: 'email: emailFor(caller, bot),',
    replace: 'email: bot.email,',
    tests: attack('fields'),
  },
  {
    name: 'key-added-right-after-a-reset',
    file: 'src/server/exchange-accounts/api-keys.ts',
    find: 'await refuseAfterReset(db, caller.id, now, noKeyAfterReset);',
    replace: '',
    tests: server('exchange-accounts/api-keys'),
  },
];
