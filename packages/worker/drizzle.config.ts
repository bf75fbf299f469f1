import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/db/auth-schema.ts',
    './src/db/identity-schema.ts',
    './src/db/index-schema.ts',
    './src/db/liteclaw-schema.ts',
    './src/db/provider-schema.ts',
  ],
  out: './migrations',
});
