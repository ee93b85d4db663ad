# docker build -t headlight .  &&  docker run --rm -p 127.0.0.1:8501:8501 headlight
# Several replicas behind nginx: compose.yaml and docs/serving.md.
FROM python:3.12-slim AS build
WORKDIR /src
RUN pip install --no-cache-dir "hatchling>=1.27,<2"
COPY pyproject.toml hatch_build.py requirements.txt README.md LICENSE app.py router.py ./
COPY .streamlit .streamlit
COPY headlight headlight
COPY model model
COPY viz viz
COPY checkpoints checkpoints
RUN python -m hatchling build -t wheel -d /wheel

FROM python:3.12-slim
# The address of an index of CPU wheels of torch makes the image some gigabytes smaller: --build-arg TORCH_INDEX=…
ARG TORCH_INDEX=""
COPY requirements.txt /tmp/requirements.txt
RUN if [ -n "$TORCH_INDEX" ]; then \
      pip install --no-cache-dir --index-url "$TORCH_INDEX" "$(grep '^torch==' /tmp/requirements.txt)"; \
    fi \
  && pip install --no-cache-dir -r /tmp/requirements.txt \
  && useradd --create-home --uid 10001 headlight
COPY --from=build /wheel /tmp/wheel
RUN pip install --no-cache-dir --no-deps /tmp/wheel/*.whl
USER 10001
WORKDIR /home/headlight
# Nothing is written: a read-only root with a tmpfs at /tmp is enough.
ENV PYTHONDONTWRITEBYTECODE=1 HOME=/tmp MPLCONFIGDIR=/tmp TRANSFORMERS_OFFLINE=1 HF_HUB_OFFLINE=1
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["headlight"]
CMD ["serve", "--address", "0.0.0.0", "--port", "8501"]
