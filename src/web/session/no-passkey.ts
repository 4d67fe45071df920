/** Why the browser gave no passkey: a sentence for its person. */
export class NoPasskey extends Error {}
