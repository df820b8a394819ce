"""Runs the workflow files of a repository; see workflows.sh."""
import glob
import os
import re
import shutil
import subprocess
import sys
import time

import yaml

repo, work, selectors, shards = sys.argv[1:5]
commands = 0


def say(text):
    print(f"== {text}", flush=True)


def clone():
    """A clean clone, at the same path for every job, as runners have it."""
    path = os.path.join(work, "checkout")
    subprocess.run(["git", "clone", "-q", repo, path], check=True)
    return path


def end(name):
    """Takes the clone out of the way of the next job."""
    path = os.path.join(work, name)
    os.rename(os.path.join(work, "checkout"), path)
    return path


def sh(script, cwd, env, log):
    """Runs a script as both systems do; tells its commands and how it ended."""
    global commands
    for line in script.strip().splitlines():
        commands += 1
        print(f"   $ {line}", flush=True)
    # CI systems set variables of their own; nothing of this one's may leak in.
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("KMX_", "GITHUB_", "CI", "SHARD", "SELECTORS"))}
    if "KMX_TOOLCHAINS" in os.environ:
        keep["KMX_TOOLCHAINS"] = os.environ["KMX_TOOLCHAINS"]
    start = time.time()
    with open(log, "a") as out:
        code = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=cwd, env=keep | env, stdout=out, stderr=out).returncode
    if code:
        print("".join(open(log).readlines()[-40:]), flush=True)
    print(f"     exit code {code}, {time.time() - start:.0f} s", flush=True)
    return code


def copy(src, dst):
    if os.path.isdir(src):
        shutil.copytree(src, dst, symlinks=True, dirs_exist_ok=True)
    else:
        os.makedirs(os.path.dirname(dst), exist_ok=True)
        shutil.copy2(src, dst)


class Expressions:
    """The few of GitHub's expressions that the workflow uses."""

    def __init__(self, **values):
        self.values = values

    def look(self, name):
        at = self.values
        for part in name.split("."):
            at = at.get(part) if isinstance(at, dict) else None
        return "" if at is None else at

    def value(self, text):
        token = re.compile(r"\s*('[^']*'|&&|\|\||==|!=|!|\(|\)|[a-zA-Z_][\w.\-]*)")
        out, at = [], 0
        while at < len(text.rstrip()):
            m = token.match(text, at)
            if not m:
                raise SystemExit(f"cannot read the expression {text!r} at {text[at:]!r}")
            at = m.end()
            word = m.group(1)
            out.append({"&&": " and ", "||": " or ", "!": " not "}.get(word) or
                       (word if word[0] in "'()=!" else "" if word in ("cancelled", "fromJSON") else repr(self.look(word))))
            if word == "cancelled":
                out.append("bool")
        return eval("".join(out), {"bool": bool})  # only the tokens above get here

    def text(self, s):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(self.value(m.group(1))), str(s))

    def holds(self, condition):
        if condition is None:
            return True
        m = re.fullmatch(r"\s*\$\{\{(.*)\}\}\s*", str(condition), re.S)
        return bool(self.value(m.group(1) if m else str(condition)))


class GitHub:
    """Jobs of a workflow file, with the four actions that it uses."""

    def __init__(self, run):
        self.run, self.flow = run, yaml.safe_load(open(f"{repo}/.github/workflows/kmx.yml"))
        self.store, self.artefacts = f"{work}/github-caches", f"{work}/github-artefacts-{run}"
        os.makedirs(self.store, exist_ok=True)
        self.needs, self.made = {}, None

    def all(self):
        for name, job in self.flow["jobs"].items():
            x = self.expressions()
            if not x.holds(job.get("if")):
                say(f"github run {self.run}, {name}: skipped")
                self.needs[name] = {"result": "skipped"}
                continue
            matrix = [{}]
            if "strategy" in job:
                matrix = yaml.safe_load(self.needs["plan"]["outputs"]["matrix"])["include"]
            codes = [self.job(name, job, m, i) for i, m in enumerate(matrix)]
            self.needs[name] = {"result": "failure" if any(codes) else "success", **self.needs.get(name, {})}
        return self.made

    def expressions(self, matrix={}, steps={}):
        return Expressions(needs=self.needs, matrix=matrix, steps=steps, inputs={"selectors": selectors}, runner={"os": "Linux"},
                           github={"ref": "refs/heads/main", "event_name": "push", "run_id": str(self.run), "run_attempt": "1"})

    def job(self, name, job, matrix, number):
        title = f"github-{self.run}-{name}" + (f"-{number + 1}" if matrix else "")
        say(f"{title} {matrix.get('shard', '')}")
        steps, failed, path = {}, 0, clone()
        for step in job["steps"]:
            x = self.expressions(matrix, steps)
            condition = step.get("if")
            if failed and "cancelled()" not in str(condition) or not x.holds(condition):
                continue
            if "uses" in step:
                self.uses(step["uses"].split("@")[0], {k: x.text(v) for k, v in step.get("with", {}).items()}, path)
                continue
            env = {k: x.text(v) for k, v in (self.flow["env"] | job.get("env", {}) | step.get("env", {})).items()}
            out = f"{work}/{title}.output"
            open(out, "a").close()
            env |= {"SHARDS": shards, "GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_OUTPUT": out, "GITHUB_STEP_SUMMARY": f"{work}/{title}.md"}
            failed = sh(x.text(step["run"]), path, env, f"{work}/{title}.log") or failed
            outputs = dict(line.rstrip("\n").split("=", 1) for line in open(out))
            if "id" in step:
                steps[step["id"]] = {"outputs": outputs}
        if "outputs" in job:
            x = self.expressions(matrix, steps)
            self.needs[name] = {"outputs": {k: x.text(v) for k, v in job["outputs"].items()}}
        if os.path.exists(f"{work}/{title}.md"):
            print("".join("     | " + line for line in open(f"{work}/{title}.md").readlines()[:12]), flush=True)
        self.made = end(title)
        return failed

    def uses(self, action, given, path):
        if action == "actions/checkout":
            return
        at = os.path.join(path, given["path"])
        if action == "actions/cache/save":
            copy(at, os.path.join(self.store, given["key"]))
        elif action == "actions/cache/restore":
            keys = [k for k in os.listdir(self.store) if k == given["key"] or k.startswith(given["restore-keys"])]
            if keys:
                copy(max((os.path.join(self.store, k) for k in keys), key=os.path.getmtime), at)
        elif action == "actions/upload-artifact":
            found = glob.glob(at)
            if not found and given.get("if-no-files-found") == "error":
                raise SystemExit(f"nothing to upload at {at}")
            for f in found:
                to = os.path.join(self.artefacts, given["name"])
                copy(f, to if os.path.isdir(f) else os.path.join(to, os.path.basename(f)))
        elif action == "actions/download-artifact":
            if "name" in given:
                copy(os.path.join(self.artefacts, given["name"]), at)
            else:
                for f in glob.glob(os.path.join(self.artefacts, given["pattern"])):
                    copy(f, os.path.join(at, os.path.basename(f)))
        else:
            raise SystemExit(f"no such action is known here: {action}")


class GitLab:
    """Jobs of a pipeline and of its child."""

    def __init__(self, run):
        self.run, self.store, self.artefacts, self.made = run, f"{work}/gitlab-cache", {}, None

    def load(self, name, text):
        flow = yaml.safe_load(text)
        for i in flow.get("include", []):
            flow = self.load(i["local"], open(repo + i["local"]).read()) | flow
        return flow

    def extended(self, flow, job):
        base = flow[job["extends"]] if "extends" in job else {}
        return (self.extended(flow, base) if base else {}) | job

    def all(self):
        flow = self.load(".gitlab-ci.yml", open(f"{repo}/.gitlab-ci.yml").read())
        self.job(flow, "plan", "plan", {})
        child = self.load("child.yml", open(os.path.join(self.artefacts["plan"], "child.yml")).read())
        names = child.get("shard", {}).get("parallel", {}).get("matrix", [{"SHARD": []}])[0]["SHARD"]
        for i, n in enumerate(names):
            self.job(child, "shard", f"shard-{i + 1}", {"SHARD": n})
        self.job(child, "merge", "merge", {})
        return self.made

    def job(self, flow, name, title, more):
        job = self.extended(flow, flow[name])
        title = f"gitlab-{self.run}-{title}"
        say(f"{title} {more.get('SHARD', '')}")
        path = clone()
        if os.path.exists(self.store):
            copy(self.store, f"{path}/.kmx-cache")
        for f in self.artefacts.values():
            copy(f, path)
        env = {k: v["value"] if isinstance(v, dict) else v for k, v in flow["variables"].items()}
        env = {k: v.replace("$CI_PROJECT_DIR", path) for k, v in env.items()} | more
        env |= {"SHARDS": shards, "SELECTORS": selectors, "CI": "true", "GITLAB_CI": "true"}
        for line in job["before_script"] + job["script"]:
            if code := sh(line, path, env, f"{work}/{title}.log"):
                raise SystemExit(code)
        if "push" in job["cache"]["policy"]:
            shutil.rmtree(self.store, ignore_errors=True)
            copy(f"{path}/.kmx-cache", self.store)
        self.artefacts[title if name != "plan" else "plan"] = to = f"{work}/{title}-artefacts"
        for f in job["artifacts"]["paths"]:
            if os.path.exists(f"{path}/{f}"):
                copy(f"{path}/{f}", os.path.join(to, f.rstrip("/")))
        self.made = end(title)


def single():
    say("one machine")
    path = clone()
    env = {"KMX_CACHE": ".kmx-cache", "GOFLAGS": "-buildvcs=false", "CI": "true"}
    command = f"bin/kmx build '{selectors}'" if selectors else "bin/kmx release"
    if sh(f"go tool mage setup\n{command}", path, env, f"{work}/single.log"):
        raise SystemExit(1)
    return end("single")


def compare(name, made, one):
    if made is None or subprocess.run(["diff", "-r", f"{one}/dist", f"{made}/dist"]).returncode:
        raise SystemExit(f"{name}: not what one machine makes")
    n = len(glob.glob(f"{made}/dist/**/*.hsaco", recursive=True))
    say(f"{name}: {n} objects and their manifests, the bytes that one machine makes")


one = single()
for run in (1, 2):
    for system in (GitHub, GitLab):
        made = system(run)
        compare(f"{system.__name__}, run {run}", made.all(), one)
say(f"{commands} commands")
