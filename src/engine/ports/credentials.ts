/** The key of an account at an exchange. */
export interface Credentials {
  key: string;
  secret: string;
  passphrase: string | null;
}
