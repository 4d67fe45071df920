import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clearSession, sessionStore, setUser } from '../session/session-store.ts';
import { Answerer, noAnswer, problem } from '../testing/answerer.ts';
import { aBot } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { api } from './api.ts';
import { ApiError } from './api-error.ts';
import { logoutEvent } from './refresh.ts';
import { UnansweredKeys } from './unanswered-keys.ts';

let network: Answerer;
let logouts = 0;
const countLogout = () => {
  logouts += 1;
};

beforeEach(() => {
  clearSession();
  network = new Answerer();
  logouts = 0;
  window.addEventListener(logoutEvent, countLogout);
});
afterEach(() => {
  window.removeEventListener(logoutEvent, countLogout);
  network.stop();
});

describe('what is sent', () => {
  test('API-52, API-53 calls lie below /api and carry the cookies', async () => {
    network.on('listBots', []);
    await api.listBots({});
    expect(network.calls[0]).toMatchObject({ path: '/bots', credentials: 'include' });
  });

  test('ROLE-02, ROLE-03, OP-45 every call carries the role of the session, empty while signed out', async () => {
    network.on('listBots', []);
    await api.listBots({});
    setUser(aUser('operator'));
    await api.listBots({});
    expect(network.calls.map((call) => call.headers.get('x-role'))).toEqual(['', 'operator']);
  });

  test('OP-82 a POST carries one key per user action, equal in its retries; a GET carries none', async () => {
    let tries = 0;
    network.on('toggleBot', () => (++tries < 2 ? noAnswer : aBot(1))).on('listBots', []);
    const toggle = () => api.toggleBot({ params: { id: idOf(101) }, query: { status: 'paused' } });
    await toggle();
    await toggle();
    await api.listBots({});
    const keys = network.calls.map((call) => call.headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/u);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys[3]).toBeNull();
  });

  test('OP-82 a question that is asked again keeps its key until it is answered; one with another body has its own', async () => {
    const keys = new UnansweredKeys();
    const stop = (state: 'reducing' | 'halted') => api.stopTrading({ body: { level: 'user', state } }, { keys }).catch(() => undefined);
    for (const status of [503, 504, 429]) {
      network.on('stopTrading', problem(status));
      await stop('halted');
    }
    await stop('reducing');
    network.on('stopTrading', problem(401)).on('refreshSession', problem(401));
    await stop('halted');
    network.on('stopTrading', problem(409));
    await stop('halted');
    network.on('stopTrading', { state: 'halted', bots: 1, open_trades: 0 });
    await stop('halted');
    await stop('halted');
    const sent = network.of('stopTrading').map(({ headers }) => headers.get('idempotency-key'));
    const [first, , , other, , , second, third] = sent;
    expect(sent).toEqual([first, first, first, other, first, first, second, third]);
    expect(new Set(sent).size).toBe(4);
  });

  test('an answer that breaks the contract is a failure, not data', async () => {
    const real = window.fetch;
    window.fetch = () => Promise.resolve(new Response('[{"id":7}]', { status: 200 }));
    await expect(api.listBots({})).rejects.toThrow();
    window.fetch = () => Promise.resolve(new Response('<html>', { status: 200 }));
    await expect(api.listBots({})).rejects.toBeInstanceOf(ApiError);
    window.fetch = real;
  });

  test('an aborted call is neither retried nor called a network error', async () => {
    network.on('listBots', () => new Promise<never>(() => undefined));
    const abort = new AbortController();
    const call = api.listBots({}, { signal: abort.signal });
    await expect.poll(() => network.calls.length).toBe(1);
    abort.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(network.calls).toHaveLength(1);
  });

  test('a call that is aborted while its session is renewed is not sent again', async () => {
    const abort = new AbortController();
    network.on('listBots', problem(401, 'Not authenticated')).on('refreshSession', () => {
      abort.abort();
      network.on('listBots', []);
      return { status: 'Session refreshed' };
    });
    await expect(api.listBots({}, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(network.of('listBots')).toHaveLength(1);
  });
});

describe('an expired session', () => {
  test('API-56, API-57 five simultaneous 401 lead to one refresh and five replays', async () => {
    let isFresh = false;
    network
      .on('listBots', () => (isFresh ? [] : problem(401, 'Not authenticated')))
      .on('refreshSession', async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        isFresh = true;
        return { status: 'Session refreshed' };
      });
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.listBots({})));
    expect(answers).toEqual([[], [], [], [], []]);
    expect([network.of('listBots').length, network.of('refreshSession').length]).toEqual([10, 1]);
    expect(logouts).toBe(0);
  });

  test.for([
    ['gets no answer', noAnswer],
    ['meets a server that cannot answer now', problem(502)],
    ['comes too often', problem(429, 'Too many requests. Please try again later.')],
  ] as const)('a refresh that %s signs nobody out: the next call tries again', async ([, refused]) => {
    network.on('listBots', problem(401, 'Not authenticated')).on('refreshSession', refused);
    await expect(api.listBots({})).rejects.toMatchObject({ status: 401, isUnrenewed: true });
    expect(logouts).toBe(0);
    network.on('refreshSession', () => {
      network.on('listBots', []);
      return { status: 'Session refreshed' };
    });
    expect(await api.listBots({})).toEqual([]);
  });

  test('API-57 a call made while a refresh is under way waits for it', async () => {
    let isFresh = false;
    network
      .on('listBots', () => (isFresh ? [] : problem(401, 'Not authenticated')))
      .on('listExchanges', () => (isFresh ? { exchanges: [] } : problem(401, 'Not authenticated')))
      .on('refreshSession', async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        isFresh = true;
        return { status: 'Session refreshed' };
      });
    const first = api.listBots({});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = api.listExchanges({});
    await Promise.all([first, second]);
    expect(network.of('listBots')).toHaveLength(2);
    expect(network.of('listExchanges')).toHaveLength(1);
  });

  test('API-57 a 401 that arrives after the refresh is replayed without another one', async () => {
    let isFresh = false;
    let answerLate = () => undefined as void;
    network
      .on('listBots', () => (isFresh ? [] : problem(401, 'Not authenticated')))
      .on('listExchanges', () => {
        if (isFresh) return { exchanges: [] };
        return new Promise((resolve) => {
          answerLate = () => resolve(problem(401, 'Not authenticated'));
        });
      })
      .on('refreshSession', () => {
        isFresh = true;
        return { status: 'Session refreshed' };
      });
    const late = api.listExchanges({});
    await api.listBots({});
    answerLate();
    expect(await late).toEqual({ exchanges: [] });
    expect(network.of('refreshSession')).toHaveLength(1);
  });

  test('API-56 a replay answered 401 is not refreshed again', async () => {
    network.on('listBots', problem(401, 'Not authenticated')).on('refreshSession', { status: 'Session refreshed' });
    await expect(api.listBots({})).rejects.toMatchObject({ status: 401 });
    expect([network.of('listBots').length, network.of('refreshSession').length]).toEqual([2, 1]);
  });

  test('API-58, STATE-07 a failed refresh fires the logout event once and the calls fail', async () => {
    network.on('listBots', problem(401, 'Not authenticated')).on('refreshSession', problem(401, 'Session expired'));
    const calls = await Promise.allSettled(Array.from({ length: 5 }, () => api.listBots({})));
    expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    expect([network.of('listBots').length, network.of('refreshSession').length, logouts]).toEqual([5, 1, 1]);
  });

  test('API-56 a 401 of the calls without a session triggers no refresh', async () => {
    const email = 'a@b.cd';
    const password = 'secret-secret';
    const no = problem(401, 'Invalid email or password');
    network
      .on('login', no)
      .on('register', no)
      .on('forgotPassword', no)
      .on('resetPassword', no)
      .on('verifyEmail', no)
      .on('resendVerification', no)
      .on('refreshSession', no);
    const calls = [
      api.login({ body: { email, password } }),
      api.register({ body: { email, password, confirmPassword: password } }),
      api.forgotPassword({ body: { email } }),
      api.resetPassword({ body: { email, code: '1', password, confirmPassword: password } }),
      api.verifyEmail({ body: { email, code: '1' } }),
      api.resendVerification({ body: { email } }),
      api.refreshSession({}),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ status: 401, detail: 'Invalid email or password' });
    expect(network.calls).toHaveLength(7);
    expect(logouts).toBe(0);
  });

  test('OP-18 the other calls of the second factor, password and logout are not exempt', async () => {
    network
      .on('verifyTwoFactor', problem(401, 'Not authenticated'))
      .on('updatePassword', problem(401, 'Not authenticated'))
      .on('refreshSession', problem(401, 'Session expired'));
    await expect(api.verifyTwoFactor({ params: { id: idOf(1) }, body: { code: '123456' } })).rejects.toMatchObject({ status: 401 });
    await expect(api.updatePassword({ body: { password: 'secret-secret' } })).rejects.toMatchObject({ status: 401 });
    expect(network.of('refreshSession')).toHaveLength(2);
    expect(sessionStore.getState().user).toBeNull();
  });
});
