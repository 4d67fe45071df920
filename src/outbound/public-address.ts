import { BlockList, isIP } from 'node:net';

/**
 * Ranges that are not the public Internet: the machine itself, private networks, test and documentation ranges, multicast,
 * and ranges that carry an IPv4 address inside.
 *
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries
 */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3', // multicast, reserved, broadcast
];

/** Of IPv6 only 2000::/3 is given out as public; these are the special ranges in it. */
const special6 = [
  '2001::/23', // Teredo, ORCHID, benchmarking and other protocols
  '2001:db8::/32',
  '2002::/16', // 6to4: an IPv4 address inside
  '2620:4f:8000::/48',
  '3fff::/20',
];

const blocked = listOf([...special4, ...special6]);
const global6 = listOf(['2000::/3']);

/** Whether an IP address is one of the public Internet; text that is not an address is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false; // %: of one link only
  if (family === 4) return !blocked.check(address, 'ipv4');
  return global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', length] = range.split('/');
    list.addSubnet(network, Number(length), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
