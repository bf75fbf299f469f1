import { z } from 'zod';

/** What is read of the engine's answers; the rest passes. */
export const Version = z.object({
  ApiVersion: z.string().regex(/^\d+\.\d+$/),
  Version: z.string().max(64),
  Components: z
    .array(z.object({ Name: z.string() }))
    .nullish()
    .transform((list) => list ?? []),
});

export const Info = z.object({
  MemoryLimit: z.boolean().optional(),
  PidsLimit: z.boolean().optional(),
  CpuCfsQuota: z.boolean().optional(),
  CgroupVersion: z.string().optional(),
  SecurityOptions: z
    .array(z.string())
    .nullish()
    .transform((list) => list ?? []),
  Rootless: z.boolean().optional(),
});

export const Created = z.object({ Id: z.string().regex(/^[0-9a-f]{12,64}$/) });

export const Inspected = z.object({
  Id: z.string(),
  State: z.object({
    Running: z.boolean(),
    Paused: z.boolean(),
    Status: z.string(),
    OOMKilled: z.boolean().optional(),
    Pid: z.int(),
    ExitCode: z.int(),
  }),
});

export const Listed = z.array(
  z.object({
    Id: z.string(),
    State: z.string(),
    Labels: z
      .record(z.string(), z.string())
      .nullish()
      .transform((labels) => labels ?? {}),
  }),
);

export const Images = z.array(z.object({ Id: z.string() }));

export const InspectedImage = z.object({
  Id: z.string(),
  Config: z
    .object({
      Env: z.array(z.string()).nullish(),
      Cmd: z.array(z.string()).nullish(),
      Entrypoint: z.array(z.string()).nullish(),
      OnBuild: z.array(z.string()).nullish(),
      Volumes: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
});
export type InspectedImage = z.infer<typeof InspectedImage>;

export const History = z.array(z.object({ CreatedBy: z.string().nullish() }));

/** A line of the answer to a pull or a build. */
export const Step = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.object({ message: z.string() }).optional(),
});
