/**
 * The form of an address under which an account is found: no blanks around it, lower case, composed characters (NFC).
 * It is made here alone and stored, because a database makes lower case by rules of its own.
 */
export function emailKey(address: string): string {
  return address.trim().normalize('NFC').toLowerCase().normalize('NFC');
}
