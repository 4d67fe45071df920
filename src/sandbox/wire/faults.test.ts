import { describe, expect, test } from 'vitest';
import { RestFaults } from './faults.ts';

const hang = { kind: 'hang' } as const;
const reset = { kind: 'reset' } as const;

describe('the rules of REST faults', () => {
  test('a rule meets as many requests as it says, after those it lets pass, and is gone then', () => {
    const faults = new RestFaults();
    faults.add({ fault: hang, skip: 1, times: 2 });
    expect([1, 2, 3, 4].map(() => faults.take('GET', '/api/v3/time')?.fault)).toEqual([undefined, hang, hang, undefined]);
    expect(faults.list()).toEqual([]);
  });

  test('a rule without a number holds until it is removed', () => {
    const faults = new RestFaults();
    const remove = faults.add({ fault: hang });
    for (let i = 0; i < 5; i++) expect(faults.take('GET', '/')?.fault).toBe(hang);
    remove();
    expect(faults.take('GET', '/')).toBeNull();
  });

  test('a rule meets only its path and method; others do not use it up', () => {
    const faults = new RestFaults();
    faults.add({ fault: hang, path: '/klines', times: 1 });
    faults.add({ fault: reset, path: /^\/api\/v3\/d/u, method: 'POST' });
    expect(faults.take('GET', '/api/v3/depth')).toBeNull();
    expect(faults.take('POST', '/api/v3/depth')?.fault).toBe(reset);
    expect(faults.take('GET', '/api/v3/klines')?.fault).toBe(hang);
  });

  test('of two rules the one that was added first decides', () => {
    const faults = new RestFaults();
    faults.add({ fault: hang, times: 1 });
    faults.add({ fault: reset });
    expect([1, 2].map(() => faults.take('GET', '/')?.fault)).toEqual([hang, reset]);
    faults.clear();
    expect(faults.take('GET', '/')).toBeNull();
  });
});
