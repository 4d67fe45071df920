import { expect, test } from 'vitest';
import { isPublicAddress } from './public-address.ts';

/** Random numbers that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = numbers(7);
const byte = () => Math.floor(random() * 256);
const group = () => Math.floor(random() * 65_536).toString(16);
const groups = (count: number) => Array.from({ length: count }, group).join(':');
const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));

/** Makers of addresses of each range that is not public. */
const privateOnes: Record<string, () => string> = {
  'this network': () => `0.${byte()}.${byte()}.${byte()}`,
  loopback: () => `127.${byte()}.${byte()}.${byte()}`,
  'private, 10': () => `10.${byte()}.${byte()}.${byte()}`,
  'private, 172': () => `172.${between(16, 31)}.${byte()}.${byte()}`,
  'private, 192': () => `192.168.${byte()}.${byte()}`,
  carrier: () => `100.${between(64, 127)}.${byte()}.${byte()}`,
  'link and cloud metadata': () => `169.254.${byte()}.${byte()}`,
  benchmarks: () => `198.${between(18, 19)}.${byte()}.${byte()}`,
  multicast: () => `${between(224, 239)}.${byte()}.${byte()}.${byte()}`,
  reserved: () => `${between(240, 255)}.${byte()}.${byte()}.${byte()}`,
  'unique local': () => `f${['c', 'd'][between(0, 1)]}${between(16, 255).toString(16)}:${groups(7)}`,
  'link local': () => `fe${between(128, 191).toString(16)}:${groups(7)}`,
  'IPv6 multicast': () => `ff${between(16, 255).toString(16)}:${groups(7)}`,
  'IPv4 in IPv6': () => `::ffff:${byte()}.${byte()}.${byte()}.${byte()}`,
  'IPv4-compatible': () => `::${byte()}.${byte()}.${byte()}.${byte()}`,
  NAT64: () => `64:ff9b::${group()}:${group()}`,
  '6to4': () => `2002:${groups(7)}`,
  Teredo: () => `2001:0:${groups(6)}`,
  documentation: () => `2001:db8:${groups(6)}`,
  'not given out': () => `${between(0x40, 0xef).toString(16)}${between(16, 255).toString(16)}:${groups(7)}`,
};

test('400,000 random addresses that are not public: none is judged public', () => {
  const makers = Object.entries(privateOnes);
  const wrong: string[] = [];
  for (let i = 0; i < 400_000; i++) {
    const [name, make] = makers[i % makers.length] as [string, () => string];
    const address = make();
    if (isPublicAddress(address)) wrong.push(`${name}: ${address}`);
  }
  expect(wrong).toEqual([]);
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2a00:1450:4001:830::200e',
  '3ffe:ffff::1',
])('%s is public: the address beside a range is not in it', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  '',
  'localhost',
  '1.1.1',
  '1.1.1.1.1',
  '01.1.1.1',
  '1.1.1.1 ',
  '[2606:4700::1111]',
  '2606:4700::1111%eth0',
  '2130706433',
  '0x7f.1',
])('what is not an address is not public: %j', (text) => {
  expect(isPublicAddress(text)).toBe(false);
});
