/* redact_rules.c - the built-in rules.  A new service is one more line. */
#include "capture/redact_rules.h"

#include "capture/redact_assign.h"
#include "capture/redact_check.h"

/* Nothing of the same kind follows. */
#define END "(?![A-Za-z0-9])"
#define END_ "(?![A-Za-z0-9_-])"
/* Nothing of the same kind stands before; the n of a line's end in a text within a text is not of it. */
#define BEGIN "(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt]))"

/* A token that begins with its service's mark. */
#define TOKEN(n, f, l, r) {.name = n, .family = f, .literals = l, .exact = true, .word = true, .regex = r}
/* The same, if what follows looks random. */
#define RANDOM(n, f, l, r) \
  {.name = n, .family = f, .literals = l, .exact = true, .word = true, .regex = r, .check = st_check_random}

const st_rule st_redact_rules[] = {
    /* Clouds */
    {.name = "aws-access-key-id", .family = "cloud", .literals = "AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA",
     .exact = true, .word = true, .regex = "A[A-Z]{3}[A-Z0-9]{16}" END, .check = st_check_not_example},
    TOKEN("gcp-api-key", "cloud", "AIza", "AIza[0-9A-Za-z_-]{35}" END_),
    TOKEN("google-oauth-token", "cloud", "ya29.", "ya29\\.[0-9A-Za-z_.-]{20,}+"),
    TOKEN("google-oauth-secret", "cloud", "GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{28}" END_),
    RANDOM("google-refresh-token", "cloud", "1//0", "1//0[A-Za-z0-9_-]{30,}+"),
    {.name = "azure-storage-key", .family = "cloud", .literals = "accountkey=|sharedaccesskey=",
     .regex = "(?i)[a-z]+=([A-Za-z0-9+/]{40,}+={0,2})"},
    {.name = "azure-sas", .family = "cloud", .literals = "&sig=|?sig=|;sig=|\\u0026sig=",
     .regex = "(?i)[^=]{1,7}sig=((?:[A-Za-z0-9+/=_-]|%[0-9a-f]{2}){40,}+)"},
    {.name = "azure-client-secret", .family = "cloud", .literals = "[0-9]Q~", .exact = true, .back = 3,
     .regex = BEGIN "[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"},
    TOKEN("digitalocean-token", "cloud", "do[opr]_v1_", "do[opr]_v1_[a-f0-9]{64}" END),
    TOKEN("heroku-key", "cloud", "HRKU-", "HRKU-[A-Za-z0-9_-]{30,}+"),
    TOKEN("cloudflare-origin-key", "cloud", "v1.0-", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{100,}+"),
    TOKEN("fly-token", "cloud", "fm[12][ar]_|fo1_", "(?:fm[12][ar]|fo1)_[A-Za-z0-9+/=_-]{40,}+"),
    TOKEN("vault-token", "cloud", "hv[sbr].", "hv[sbr]\\.[A-Za-z0-9_-]{20,}+"),
    {.name = "terraform-token", .family = "cloud", .literals = ".atlasv1.", .exact = true, .back = 14,
     .regex = "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}+"},
    TOKEN("databricks-token", "cloud", "dapi[0-9a-f]", "dapi[a-f0-9]{32}(?:-[0-9])?" END),
    TOKEN("doppler-token", "cloud", "dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit.",
          "dp\\.[a-z]{2,5}\\.[A-Za-z0-9_.-]{30,}+"),
    TOKEN("pulumi-token", "cloud", "pul-", "pul-[a-f0-9]{40}" END),
    TOKEN("tailscale-key", "cloud", "tskey-", "tskey-[a-z]+-[A-Za-z0-9-]{16,}+"),
    TOKEN("planetscale-token", "cloud", "pscale_", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}+"),
    TOKEN("supabase-key", "cloud", "sbp_|sb_secret_", "(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}+)" END),
    TOKEN("netlify-token", "cloud", "nfp_", "nfp_[A-Za-z0-9]{36,}+"),

    /* Code and packages */
    TOKEN("github-token", "code", "gh[pousr]_", "gh[pousr]_[A-Za-z0-9]{36,}+"),
    TOKEN("github-fine-grained-token", "code", "github_pat_", "github_pat_[A-Za-z0-9_]{60,}+"),
    TOKEN("gitlab-token", "code",
          "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|glimt-|glagent-|glffct-", "gl[a-z]+-[A-Za-z0-9_.-]{20,}+"),
    TOKEN("atlassian-token", "code", "ATATT3|ATCTT3|ATBB",
          "AT(?:[AC]TT3[A-Za-z0-9_=-]{100,}+|BB[A-Za-z0-9]{32}" END ")"),
    TOKEN("npm-token", "code", "npm_", "npm_[A-Za-z0-9]{36}" END),
    TOKEN("stele-token", "code", "stele_", "stele_[0-9a-f]{64}" END),
    TOKEN("pypi-token", "code", "pypi-AgE", "pypi-AgE[A-Za-z0-9_-]{50,}+"),
    TOKEN("rubygems-key", "code", "rubygems_", "rubygems_[a-f0-9]{48}" END),
    TOKEN("docker-token", "code", "dckr_pat_|dckr_oat_", "dckr_[po]at_[A-Za-z0-9_-]{20,}+"),
    TOKEN("circleci-token", "code", "CCIPAT_|CCIPRJ_", "CCIP(?:AT|RJ)_[A-Za-z0-9]{10,}+_[a-f0-9]{40}" END),
    TOKEN("postman-key", "code", "PMAK-", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}" END),
    TOKEN("sentry-token", "code", "sntrys_|sntryu_", "sntry(?:s_[A-Za-z0-9_=+/-]{40,}+|u_[a-f0-9]{64}" END ")"),
    {.name = "sentry-dsn", .family = "code", .literals = "://[0-9a-f]",
     .regex = "://([a-f0-9]{32}(?::[a-f0-9]{32})?)@[A-Za-z0-9.-]*sentry"},
    TOKEN("newrelic-key", "code", "NRAK-|NRJS-|NRII-|NRIQ-|NRRA-", "NR[A-Z]{2}-[A-Za-z0-9_-]{19,}+"),
    TOKEN("grafana-token", "code", "glsa_|glc_", "gl(?:sa_[A-Za-z0-9]{32}_[a-f0-9]{8}|c_[A-Za-z0-9+/=]{32,}+)"),
    TOKEN("dynatrace-token", "code", "dt0[a-z]", "dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}" END),

    /* Models */
    TOKEN("anthropic-key", "ai", "sk-ant-", "sk-ant-[A-Za-z0-9_-]{20,}+"),
    TOKEN("openai-key", "ai", "sk-proj-|sk-svcacct-|sk-admin-|sk-None-", "sk-[A-Za-z]+-[A-Za-z0-9_-]{20,}+"),
    TOKEN("openrouter-key", "ai", "sk-or-v1-", "sk-or-v1-[a-f0-9]{64}" END),
    RANDOM("openai-legacy-key", "ai", "sk-", "sk-[A-Za-z0-9]{32,}+" END_),
    TOKEN("huggingface-token", "ai", "hf_", "hf_[A-Za-z0-9]{30,}+"),
    TOKEN("groq-key", "ai", "gsk_", "gsk_[A-Za-z0-9]{40,}+"),
    TOKEN("replicate-token", "ai", "r8_", "r8_[A-Za-z0-9]{37}" END),
    TOKEN("perplexity-key", "ai", "pplx-", "pplx-[A-Za-z0-9]{40,}+"),
    TOKEN("xai-key", "ai", "xai-", "xai-[A-Za-z0-9]{60,}+"),

    /* Messages */
    TOKEN("slack-token", "chat", "xox[abceoprs]-|xoxe.", "xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}+"),
    TOKEN("slack-app-token", "chat", "xapp-", "xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[A-Za-z0-9]{16,}+"),
    {.name = "slack-webhook", .family = "chat", .literals = "hooks.slack.com/",
     .regex = "(?i)hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/]{30,}+)"},
    {.name = "discord-token", .family = "chat", .literals = "[MNO][DTjz][AEIMQUYcgk]", .exact = true, .word = true,
     .regex = "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}+"},
    {.name = "discord-webhook", .family = "chat", .literals = "/api/webhooks/",
     .regex = "/api/webhooks/[0-9]{15,}+/([A-Za-z0-9_-]{40,}+)"},
    {.name = "telegram-bot-token", .family = "chat", .literals = ":AA", .exact = true,
     .regex = "(?<=[0-9]{8}):(AA[A-Za-z0-9_-]{32,34})" END_},
    TOKEN("twilio-key", "chat", "SK[0-9a-f]|AC[0-9a-f]", "(?:SK|AC)[0-9a-f]{32}" END),
    TOKEN("sendgrid-key", "chat", "SG.", "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{30,}+"),
    TOKEN("mailgun-key", "chat", "key-[0-9a-f]", "key-[0-9a-f]{32}" END),
    {.name = "mailchimp-key", .family = "chat", .literals = "-us[0-9]", .exact = true, .back = 32,
     .regex = BEGIN "[0-9a-f]{32}-us[0-9]{1,2}" END},

    /* Money and shops */
    TOKEN("stripe-key", "payment", "sk_live_|rk_live_|sk_test_|rk_test_", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+"),
    RANDOM("stripe-webhook-secret", "payment", "whsec_", "whsec_[A-Za-z0-9+/=]{24,}+"),
    TOKEN("square-token", "payment", "sq0atp-|sq0csp-|sq0idp-", "sq0[a-z]{3}-[A-Za-z0-9_-]{22,}+"),
    RANDOM("square-access-token", "payment", "EAAA", "EAAA[A-Za-z0-9_-]{60}" END_),
    TOKEN("shopify-token", "payment", "shpat_|shpca_|shppa_|shpss_", "shp[a-z]{2}_[a-fA-F0-9]{32}" END),

    /* Work */
    TOKEN("linear-key", "work", "lin_api_|lin_oauth_", "lin_(?:api|oauth)_[A-Za-z0-9]{32,}+"),
    TOKEN("notion-token", "work", "ntn_|secret_", "(?:ntn_[A-Za-z0-9]{40,}+|secret_[A-Za-z0-9]{43}" END ")"),
    TOKEN("figma-token", "work", "figd_", "figd_[A-Za-z0-9_-]{30,}+"),
    TOKEN("contentful-token", "work", "CFPAT-", "CFPAT-[A-Za-z0-9_-]{40,}+"),

    /* Keys of their own form */
    {.name = "private-key", .family = "key", .literals = "-----BEGIN ", .exact = true, .find = st_find_private_key},
    {.name = "age-secret-key", .family = "key", .literals = "age-secret-key-1", .word = true,
     .regex = "(?i)age-secret-key-1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}"},
    {.name = "jwt", .family = "key", .literals = "eyJ", .exact = true, .word = true, .reach = 16384,
     .regex = "(?<![_-])eyJ[A-Za-z0-9_-]{10,}+\\.(?:[A-Za-z0-9_-]*+\\.){1,3}+[A-Za-z0-9_-]*+", .check = st_check_jwt},

    /* Said where it stands */
    {.name = "authorization-header", .family = "context", .literals = "authorization", .vague = true,
     .regex = "(?i)authorization[\"'\\\\]{0,4}\\s{0,3}[:=,]\\s{0,3}[\"'\\\\]{0,4}"
              "(?:bearer|token|apikey|api-key|digest|negotiate|key|aws4-hmac-sha256)\\s+([A-Za-z0-9._~+/=-]{8,500})",
     .check = st_check_credential},
    {.name = "bearer-token", .family = "context", .literals = "bearer ", .word = true, .vague = true,
     .regex = "(?i)bearer\\s+([A-Za-z0-9._~+/=-]{16,500})", .check = st_check_random},
    {.name = "basic-credentials", .family = "context", .literals = "basic ", .word = true, .vague = true,
     .regex = "(?i)basic\\s+([A-Za-z0-9+/]{8,500}={0,2})", .check = st_check_basic},
    {.name = "session-cookie", .family = "context", .vague = true,
     .literals = "sessionid=|session_id=|session=|sessid=|sid=|_sess=|csrftoken=|xsrf-token=|remember_token=",
     .regex = "(?i)[a-z_-]+=([^\\s;,\"'\\\\]{16,500})", .check = st_check_cookie},
    {.name = "url-password", .family = "context", .literals = "://", .vague = true,
     .regex = "://[^\\s:/?#@\"'<>\\\\`]{0,128}+:([^\\s\"'<>/\\\\`]{3,256})@[A-Za-z0-9\\[$.]",
     .check = st_check_url_password},
    {.name = "curl-user", .family = "context", .literals = " -u |--user ", .vague = true,
     .regex = "(?: -u|--user) {1,3}[\"']?[^\\s:\"']{1,128}:([^\\s\"']{6,256})", .check = st_check_curl_user},
    {.name = "netrc-password", .family = "context", .literals = "login ", .word = true, .vague = true,
     .regex = "login\\s+\\S{1,128}\\s+password\\s+([^\\s\"'\\\\]{6,256})", .check = st_check_password},
    {.name = "sshpass-password", .family = "context", .literals = "sshpass ", .word = true, .vague = true,
     .regex = "sshpass +-p *[\"']?([^\\s\"']{6,256})", .check = st_check_password},
    {.name = "assigned-secret", .family = "context", .vague = true, .find = st_find_assigned,
     .literals = "pass|pwd|secret|token|api_key|apikey|api-key|_key|-key|accesskey|privatekey|secretkey|authkey|"
                 "accountkey|signingkey|encryptionkey|masterkey|auth|credential|creds"},
};

const size_t st_redact_nrules = sizeof st_redact_rules / sizeof *st_redact_rules;
